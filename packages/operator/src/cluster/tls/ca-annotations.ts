import { GROUP } from "../../api/group.ts";

/** On a member's pod: whom its etcd believes, as `Fingerprint.ca`. It reads the bundles when it starts, and never again. */
export const CA_ANNOTATIONS = {
  peer: `${GROUP}/peer-ca`,
  server: `${GROUP}/server-ca`,
} as const;
