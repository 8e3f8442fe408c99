import type { Random } from "../../../model/random.ts";
import type { PlanGiven } from "../plans.ts";
import { crash, freeze, give, gone, keep, kill, resume, scale, settle, stop, swap, write } from "../step.ts";

const others = ["leader", "other"] as const;

/** Volumes come back that are another's, of another time, or of another cluster. */
export const returnedPlans: readonly PlanGiven[] = [
  {
    name: "swapped-two-of-five",
    size: 5,
    claims: true,
    steps: [stop("leader", "follower"), swap("leader", "follower"), resume],
    expect: {
      replaced: ["leader", "follower"],
      kept: ["other", "third", "fourth"],
      refusals: ["other-member"],
    },
  },
  {
    name: "swapped-one-after-the-other",
    size: 5,
    claims: true,
    steps: [
      keep("follower", "f"),
      keep("other", "o"),
      stop("follower"),
      give("follower", "o"),
      resume,
      gone("follower"),
      stop("other"),
      give("other", "f"),
      resume,
    ],
    expect: { replaced: ["follower", "other"], kept: ["leader", "third", "fourth"], refusals: ["other-member"] },
  },
  {
    name: "copied-to-a-second-member",
    claims: true,
    steps: [keep("other", "o"), stop("follower"), give("follower", "o"), resume],
    expect: { replaced: ["follower"], kept: others, refusals: ["other-member"] },
  },
  {
    name: "copied-to-a-second-member-in-pod",
    claims: false,
    steps: [keep("other", "o"), freeze("follower"), give("follower", "o"), kill("follower")],
    expect: { replaced: ["follower"], kept: others, foreignStarts: true },
  },
  {
    name: "swapped-two-of-five-in-pods",
    size: 5,
    claims: false,
    steps: [freeze("follower", "other"), swap("follower", "other"), kill("follower", "other")],
    expect: { replaced: ["follower", "other"], kept: ["leader", "third", "fourth"], foreignStarts: true },
  },
  {
    name: "older-volume-returned",
    claims: true,
    steps: [keep("follower", "then"), write(80), stop("follower"), write(40), give("follower", "then"), resume],
    expect: { kept: others },
  },
  {
    name: "older-volume-returned-to-the-leader",
    claims: true,
    steps: [keep("leader", "then"), write(80), crash("leader"), write(40), give("leader", "then"), resume],
    expect: { kept: ["follower", "other"] },
  },
  {
    name: "older-volume-returned-in-pod",
    claims: false,
    steps: [keep("follower", "then"), write(80), freeze("follower"), give("follower", "then"), kill("follower")],
    expect: { kept: others },
  },
  {
    name: "older-volume-of-before-a-removal",
    size: 5,
    claims: true,
    // It knows members that have been removed since, and not those that came.
    steps: [
      keep("follower", "then"),
      stop("other"),
      { do: "damage", who: ["other"], how: { kind: "wiped" } },
      resume,
      gone("other"),
      settle(5),
      stop("follower"),
      give("follower", "then"),
      resume,
    ],
    expect: { replaced: ["other"], kept: ["leader", "third", "fourth"] },
  },
  {
    name: "of-another-cluster",
    claims: true,
    steps: [{ do: "neighbour", size: 3, as: "theirs" }, stop("follower"), give("follower", "theirs"), resume],
    expect: { replaced: ["follower"], kept: others, refusals: ["other-cluster"] },
  },
  {
    name: "of-another-cluster-in-pod",
    claims: false,
    // Of three: one of a cluster of one would serve, and clients could get to it in the moment before the operator sees
    // that.
    steps: [
      { do: "neighbour", size: 3, as: "theirs" },
      freeze("follower"),
      give("follower", "theirs"),
      kill("follower"),
    ],
    expect: { replaced: ["follower"], kept: others, foreignStarts: true },
  },
  {
    name: "of-a-removed-member-for-a-newcomer",
    size: 4,
    claims: true,
    steps: [keep("follower", "removed"), scale(3), settle(3), { do: "offer-volume", copy: "removed" }, scale(4)],
    expect: { refusals: ["not-empty"] },
  },
  {
    name: "kept-claim-after-scale-down-and-up",
    claims: true,
    settings: { whenScaled: "Retain" },
    // A member that comes later has a name and a claim of its own (zookeeper-operator#517).
    steps: [scale(1), settle(1), write(40), scale(3)],
    expect: { claimsLeft: 2 },
  },
];

const PARTS = [0.1, 0.35, 0.6, 0.9];

/** Volumes come back of which only a part was copied. */
export function halfCopiedPlans(random: Random): readonly PlanGiven[] {
  const part = random.pick(PARTS) ?? 0.5;
  return [
    {
      name: "half-copied",
      claims: true,
      steps: [keep("follower", "own"), stop("follower"), give("follower", "own", part), resume],
      expect: { kept: others },
    },
    {
      name: "half-copied-in-pod",
      claims: false,
      steps: [keep("follower", "own"), freeze("follower"), give("follower", "own", 1 - part), kill("follower")],
      expect: { kept: others },
    },
  ];
}
