/** From the first to the second goes the test of a version change; any machine with Debian's packages has the first. */
export const ETCD_VERSIONS = ["3.5.16", "3.5.30"] as const;
