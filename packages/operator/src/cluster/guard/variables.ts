/** How a pod passes the expected identity to its guard; the values come from the pod's spec, annotations and UID. */
export const GUARD_VARIABLES = {
  start: "GUARD_START",
  memberId: "GUARD_MEMBER_ID",
  clusterId: "GUARD_CLUSTER_ID",
  podUid: "GUARD_POD_UID",
  logReached: "GUARD_LOG_REACHED",
} as const;
