import type { PlanGiven } from "../plans.ts";
import { damage, freeze, give, keep, kill, lossIsTold, resume, stop, write } from "../step.ts";

const wiped = { kind: "wiped" } as const;

/** The same on other minors: what etcd does on an empty directory, and how it reports that, differs between them. */
export const versionPlans: readonly PlanGiven[] = ["3.3.25", "3.4.23", "3.5.35", "3.6.16", "3.7.3"].flatMap(
  (version) => {
    const suffix = version.replaceAll(".", "-");
    const settings = { version };
    return [
      {
        name: `wiped-away-on-${suffix}`,
        claims: true,
        settings,
        steps: [stop("follower"), damage(wiped, "follower"), resume],
        expect: { replaced: ["follower"], kept: ["leader", "other"], refusals: ["data-gone"] },
      },
      {
        name: `wiped-in-pod-on-${suffix}`,
        claims: false,
        settings,
        steps: [freeze("leader"), damage(wiped, "leader"), kill("leader")],
        expect: { replaced: ["leader"], kept: ["follower", "other"] },
      },
      {
        name: `older-volume-on-${suffix}`,
        claims: true,
        settings,
        steps: [keep("follower", "then"), write(40), stop("follower"), write(20), give("follower", "then"), resume],
        expect: { kept: ["leader", "other"] },
      },
      {
        name: `two-wiped-on-${suffix}`,
        claims: true,
        settings,
        steps: [
          stop("follower", "other"),
          keep("follower", "own"),
          damage(wiped, "follower", "other"),
          resume,
          lossIsTold("follower", "other"),
          give("follower", "own"),
        ],
        expect: { replaced: ["other"], kept: ["leader", "follower"], refusals: ["data-gone"] },
      },
    ] satisfies readonly PlanGiven[];
  },
);
