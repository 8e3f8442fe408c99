import type { PlanGiven } from "../plans.ts";
import {
  annotate,
  deleteClaims,
  deletePods,
  deleteVolumes,
  freeze,
  kill,
  reboot,
  resume,
  settle,
  stop,
  swap,
  write,
} from "../step.ts";

const others = ["leader", "other"] as const;

/** Claims and volumes go and come back under the same names. */
const claimPlans: readonly PlanGiven[] = [
  {
    name: "claim-remade-with-its-notes",
    claims: true,
    steps: [stop("follower"), { do: "remake-claims", who: ["follower"], notes: "copied" }, resume],
    expect: { replaced: ["follower"], kept: others, refusals: ["data-gone"] },
  },
  {
    name: "claim-remade-without-identity",
    claims: true,
    steps: [stop("leader"), { do: "remake-claims", who: ["leader"], notes: "unidentified" }, resume],
    expect: { replaced: ["leader"], kept: ["follower", "other"], refusals: ["data-gone"] },
  },
  {
    name: "claim-remade-by-another-client",
    claims: true,
    steps: [stop("follower"), { do: "remake-claims", who: ["follower"], notes: "none" }, resume],
    expect: { replaced: ["follower"], kept: others },
  },
  {
    name: "claim-deleted-with-its-pod",
    claims: true,
    steps: [deleteClaims("leader"), write(20), deletePods("leader")],
    expect: { replaced: ["leader"], kept: ["follower", "other"] },
  },
  {
    name: "volume-deleted-behind-its-claim",
    claims: true,
    steps: [stop("follower"), deleteVolumes("follower"), resume],
    expect: { replaced: ["follower"], kept: others },
  },
];

/** Annotations and labels of pods and claims are removed or edited. */
const notePlans: readonly PlanGiven[] = [
  {
    name: "notes-taken-off-a-pod",
    claims: false,
    steps: [annotate("pods", { memberId: null, clusterId: null }, "follower"), settle(3), reboot("follower")],
    expect: { kept: ["leader", "follower", "other"] },
  },
  {
    name: "notes-of-another-member-on-a-pod",
    claims: false,
    steps: [annotate("pods", { memberId: { of: "other" } }, "follower"), write(10), reboot("follower")],
    expect: { kept: others },
  },
  {
    name: "notes-of-another-member-are-corrected",
    claims: false,
    steps: [annotate("pods", { memberId: { of: "other" } }, "follower"), write(10), settle(3), reboot("follower")],
    expect: { kept: ["leader", "follower", "other"] },
  },
  {
    name: "first-start-noted-again-and-wiped",
    claims: false,
    steps: [
      annotate("pods", { initialCluster: "every-member", initialClusterState: "new" }, "follower"),
      write(40),
      freeze("follower"),
      { do: "damage", who: ["follower"], how: { kind: "wiped" } },
      kill("follower"),
    ],
    expect: { replaced: ["follower"], kept: others },
  },
  {
    name: "notes-taken-off-a-pod-and-wiped",
    claims: false,
    steps: [
      annotate("pods", { memberId: null, initialClusterState: "new", initialCluster: "" }, "follower"),
      settle(3),
      freeze("follower"),
      { do: "damage", who: ["follower"], how: { kind: "wiped" } },
      kill("follower"),
    ],
    expect: { replaced: ["follower"], kept: others },
  },
  {
    name: "notes-of-another-member-on-a-claim",
    claims: true,
    steps: [stop("follower"), annotate("claims", { memberId: { of: "other" } }, "follower"), resume],
    // A claim that is marked as a member's data is deleted by a person only.
    expect: { replaced: ["follower"], kept: others, claimsLeft: 1 },
  },
  {
    name: "notes-taken-off-a-claim",
    claims: true,
    steps: [stop("follower"), annotate("claims", { memberId: null, clusterId: null }, "follower"), resume],
    expect: { kept: ["leader", "follower", "other"] },
  },
  {
    name: "notes-of-both-swapped-with-volumes",
    size: 5,
    claims: true,
    // Swapping claims and notes alike renames two members: the guard is content, and etcd must not lose
    // anything.
    steps: [
      stop("follower", "other"),
      swap("follower", "other"),
      annotate("claims", { memberId: { of: "other" } }, "follower"),
      annotate("claims", { memberId: { of: "follower" } }, "other"),
      resume,
    ],
    expect: { kept: ["leader", "third", "fourth"], foreignStarts: true },
  },
];

export const objectPlans: readonly PlanGiven[] = [...claimPlans, ...notePlans];
