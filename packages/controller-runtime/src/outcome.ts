/** What a pass over one key came to. Failure is no outcome: it is thrown. */
export type Outcome =
  | { readonly kind: "done" }
  /** A watch event will wake us. */
  | { readonly kind: "wait"; readonly for: string }
  /** All is as it should be, and an event will tell when it is not: another look can wait for long. */
  | { readonly kind: "rest"; readonly atMostMs?: number }
  | { readonly kind: "retry"; readonly afterMs: number; readonly why: string };
