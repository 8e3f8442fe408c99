/** The words for programs in the conditions; some of them are what a later pass decides by. */
export const REASONS = {
  verified: "Verified",
  /** The old operator said so, which verified nothing. */
  takenBefore: "TakenByEarlierOperator",
  /** Nothing has come of it yet. */
  pending: "Pending",
  /** The last attempt failed; there will be another. */
  failed: "AttemptFailed",
  /** It fails until somebody mends something. */
  needsSomebody: "NeedsAttention",
  /** There will be no other attempt. */
  gaveUp: "GaveUp",
  invalid: "InvalidSpec",
} as const;
