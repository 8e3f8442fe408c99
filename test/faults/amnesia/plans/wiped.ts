import type { PlanGiven } from "../plans.ts";
import {
  crash,
  damage,
  deletePods,
  freeze,
  give,
  gone,
  keep,
  kill,
  reboot,
  resume,
  settle,
  stop,
  write,
} from "../step.ts";

const wiped = { kind: "wiped" } as const;

/** One disk is emptied, and the others are not; its member is replaced. */
export const wipedPlans: readonly PlanGiven[] = [
  {
    name: "wiped-follower-away",
    claims: true,
    steps: [stop("follower"), damage(wiped, "follower"), resume],
    expect: { replaced: ["follower"], kept: ["leader", "other"], refusals: ["data-gone"] },
  },
  {
    name: "wiped-leader-away",
    claims: true,
    steps: [stop("leader"), damage(wiped, "leader"), resume],
    expect: { replaced: ["leader"], kept: ["follower", "other"], refusals: ["data-gone"] },
  },
  {
    name: "wiped-follower-restarts",
    claims: true,
    steps: [freeze("follower"), damage(wiped, "follower"), kill("follower")],
    expect: { replaced: ["follower"], kept: ["leader", "other"], told: ["MemberNotHealthy"] },
  },
  {
    name: "wiped-leader-restarts-in-pod",
    claims: false,
    steps: [freeze("leader"), damage(wiped, "leader"), kill("leader")],
    expect: { replaced: ["leader"], kept: ["follower", "other"] },
  },
  {
    name: "wiped-follower-reboots-in-pod",
    claims: false,
    steps: [freeze("follower"), damage(wiped, "follower"), reboot("follower")],
    expect: { replaced: ["follower"], kept: ["leader", "other"], refusals: ["data-gone"] },
  },
  {
    name: "wiped-under-a-running-follower",
    claims: true,
    // It goes on with the files that it has open, until it has to open them again.
    steps: [damage(wiped, "follower"), write(50), kill("follower")],
    expect: { replaced: ["follower"], kept: ["leader", "other"] },
  },
  {
    name: "wiped-under-a-running-leader-in-pod",
    claims: false,
    steps: [damage(wiped, "leader"), write(50), kill("leader")],
    expect: { replaced: ["leader"], kept: ["follower", "other"] },
  },
  {
    name: "wiped-and-never-restarted",
    claims: true,
    // It is not noticed before its pod is deleted: then it is refused, and not before.
    steps: [damage(wiped, "follower"), write(50), settle(3), deletePods("follower")],
    expect: { replaced: ["follower"], kept: ["leader", "other"] },
  },
  {
    name: "wiped-initial-of-three",
    claims: true,
    settings: { bootstrap: "Sequential" },
    steps: [stop("leader"), damage(wiped, "leader"), resume],
    expect: { replaced: ["leader"], kept: ["follower", "other"], refusals: ["data-gone"] },
  },
  {
    name: "wiped-one-after-the-other",
    claims: true,
    steps: [
      stop("follower"),
      damage(wiped, "follower"),
      resume,
      gone("follower"),
      settle(3),
      stop("other"),
      damage(wiped, "other"),
      resume,
    ],
    expect: { replaced: ["follower", "other"], kept: ["leader"], refusals: ["data-gone"] },
  },
  {
    name: "wiped-two-of-five",
    size: 5,
    claims: true,
    steps: [crash("follower", "leader"), damage(wiped, "follower", "leader"), resume],
    expect: { replaced: ["follower", "leader"], kept: ["other", "third", "fourth"], refusals: ["data-gone"] },
  },
  {
    name: "wiped-two-of-five-in-pods",
    size: 5,
    claims: false,
    steps: [freeze("follower", "leader"), damage(wiped, "follower", "leader"), kill("follower", "leader")],
    expect: { replaced: ["follower", "leader"], kept: ["other", "third", "fourth"] },
  },
  {
    name: "wiped-newcomer",
    claims: true,
    steps: [{ do: "scale", to: 4 }, { do: "catch-newcomer" }, damage(wiped, "newcomer"), kill("newcomer")],
    expect: { size: 4, kept: ["leader", "follower", "other"], beginsAgain: true },
  },
  {
    name: "wiped-newcomer-in-pod-reboots",
    claims: false,
    steps: [{ do: "scale", to: 4 }, { do: "catch-newcomer" }, damage(wiped, "newcomer"), reboot("newcomer")],
    expect: { size: 4, kept: ["leader", "follower", "other"], beginsAgain: true },
  },
  {
    name: "wiped-seed-before-anybody-joins",
    claims: true,
    settings: { bootstrap: "Sequential" },
    beginsAtOnce: true,
    steps: [{ do: "catch-newcomer" }, damage(wiped, "newcomer"), kill("newcomer"), resume],
    expect: { beginsAgain: true },
  },
  {
    name: "wiped-seed-in-pod-reboots",
    claims: false,
    settings: { bootstrap: "Sequential" },
    beginsAtOnce: true,
    steps: [{ do: "catch-newcomer" }, damage(wiped, "newcomer"), reboot("newcomer"), resume],
    expect: { beginsAgain: true },
  },
  {
    name: "wiped-after-a-copy-was-kept",
    claims: true,
    steps: [keep("follower", "own"), stop("follower"), damage(wiped, "follower"), give("follower", "own"), resume],
    expect: { kept: ["leader", "other"] },
  },
];
