import type { Mutant } from "../mutant.ts";

/** What goes wrong where time is taken from another clock, or whose an object is from a watch. */
export const clockMutants: readonly Mutant[] = [
  {
    name: "recorded-time-alone",
    reference: "an NTP step, or an earlier operator whose clock was behind",
    bug: "Gives a member up as soon as the time in the status is long ago by the wall clock.",
    patches: [
      {
        file: "operator/src/cluster/model/replacement.ts",
        find: "return Math.max(lateAtMs - now.seen.nowMs, waitMs - seenAwayMs(member, now.seen));",
        replace: "return Math.min(lateAtMs - now.seen.nowMs, waitMs);",
      },
    ],
    caughtBy: ["clocks/briefly-away/step-ahead-1h-at-first"],
    failsWith: /unexpected: persistentvolumeclaims.*deleted/,
  },
  {
    name: "wait-not-begun-by-a-successor",
    reference: "a Lease that another operator takes over",
    bug: "Believes of what it sees for the first time that it has lasted.",
    patches: [
      {
        file: "controller-runtime/src/seen-for.ts",
        find: ": { since, ms: 0 };",
        replace: ": { since, ms: 86_400_000 };",
      },
    ],
    caughtBy: ["clocks/briefly-away/successor-ahead-1h-at-middle"],
    failsWith: /unexpected: persistentvolumeclaims.*deleted/,
  },
  {
    name: "scope-not-read-live",
    reference: "two operators, one of them cluster-wide",
    bug: "Acts on a cluster that was given to an operator of another scope while its watch stalls.",
    patches: [
      {
        file: "operator/src/cluster/act/cluster-change.ts",
        find: "if (hasOtherScope(seen, live))",
        replace: "if (hasOtherScope(seen, seen))",
      },
    ],
    caughtBy: ["clocks/replace/scope"],
    failsWith: /the operator of another scope wrote/,
  },
];
