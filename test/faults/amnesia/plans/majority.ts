import type { PlanGiven } from "../plans.ts";
import {
  annotate,
  damage,
  deletePods,
  freeze,
  give,
  keep,
  kill,
  lossIsTold,
  reboot,
  resume,
  stop,
  swap,
  write,
} from "../step.ts";

const wiped = { kind: "wiped" } as const;
const all = ["leader", "follower", "other"] as const;
/** As if all of them had once got further than they have. */
const FURTHER = JSON.stringify({ term: 1_000, index: 1_000_000, revision: 1, at: "2026-01-01T00:00:00Z" });

/**
 * The disks of a majority are lost: nothing is done about it by itself, it is reported, and the steps of the docs work.
 */
export const majorityPlans: readonly PlanGiven[] = [
  {
    name: "all-set-back-and-agreed-to",
    claims: true,
    // The steps of the docs when all volumes are of one earlier time, and the user wants that.
    steps: [
      stop(...all),
      annotate("claims", { logReached: FURTHER }, ...all),
      resume,
      lossIsTold(...all),
      annotate("claims", { logReached: null }, ...all),
      deletePods(...all),
    ],
    expect: { kept: all, refusals: ["log-behind"], told: ["QuorumLost", "log-reached"] },
  },
  {
    name: "two-of-three-swapped-and-back",
    claims: true,
    steps: [
      stop("follower", "other"),
      swap("follower", "other"),
      resume,
      lossIsTold("follower", "other"),
      swap("follower", "other"),
      deletePods("follower", "other"),
    ],
    expect: { kept: ["leader", "follower", "other"], refusals: ["other-member"], told: ["QuorumLost"] },
  },
  {
    name: "two-of-three-wiped-survivor-restored",
    claims: true,
    steps: [
      { do: "backup" },
      write(30),
      stop("follower", "other"),
      damage(wiped, "follower", "other"),
      resume,
      lossIsTold("follower", "other"),
      { do: "restore", from: "survivor" },
      { do: "restored" },
    ],
    // A survivor without a leader may have acknowledged what it has not applied, so the volumes stay (decision 0016).
    expect: {
      replaced: ["follower", "other"],
      restores: 1,
      refusals: ["data-gone"],
      told: ["QuorumLost"],
      claimsLeft: 3,
    },
  },
  {
    name: "two-of-three-wiped-given-back",
    claims: true,
    steps: [
      stop("follower", "leader"),
      keep("follower", "f"),
      keep("leader", "l"),
      damage(wiped, "follower", "leader"),
      resume,
      lossIsTold("follower", "leader"),
      give("follower", "f"),
      give("leader", "l"),
      // As the docs say: else the first to be admitted makes a majority, which replaces the one whose guard has not
      // checked again.
      deletePods("follower", "leader"),
    ],
    expect: { kept: ["leader", "follower", "other"], refusals: ["data-gone"] },
  },
  {
    name: "two-of-three-wiped-in-pods",
    claims: false,
    steps: [
      { do: "backup" },
      write(30),
      freeze("follower", "leader"),
      damage(wiped, "follower", "leader"),
      kill("follower", "leader"),
      lossIsTold("follower", "leader"),
      { do: "restore", from: "backup" },
      { do: "restored" },
    ],
    expect: { replaced: ["follower", "leader"], restores: 1 },
  },
  {
    name: "three-of-five-rebooted-on-nothing",
    size: 5,
    claims: false,
    steps: [
      freeze("follower", "leader", "other"),
      keep("follower", "f"),
      damage(wiped, "follower", "leader", "other"),
      reboot("follower", "leader", "other"),
      lossIsTold("follower", "leader", "other"),
      give("follower", "f"),
    ],
    // One that has its own back makes a majority with the two that never lost theirs, and the rest is replaced.
    expect: {
      replaced: ["leader", "other"],
      kept: ["follower", "third", "fourth"],
      refusals: ["data-gone"],
      told: ["QuorumLost"],
    },
  },
  {
    name: "all-three-wiped",
    claims: true,
    steps: [
      { do: "backup" },
      write(30),
      stop("follower", "leader", "other"),
      damage(wiped, "follower", "leader", "other"),
      resume,
      lossIsTold("follower", "leader", "other"),
      { do: "restore", from: "backup" },
      { do: "restored" },
    ],
    // Nothing could be saved of them, so their volumes stay.
    expect: { replaced: ["leader", "follower", "other"], restores: 1, refusals: ["data-gone"], claimsLeft: 3 },
  },
  {
    name: "all-three-pods-gone-recreated",
    claims: false,
    // druid#452: no replacement may pass for them.
    steps: [
      deletePods("leader", "follower", "other"),
      lossIsTold("leader", "follower", "other"),
      { do: "recreate-cluster" },
    ],
    expect: { replaced: ["leader", "follower", "other"], restores: 1 },
  },
  {
    name: "only-one-wiped",
    size: 1,
    claims: true,
    steps: [
      { do: "backup" },
      write(30),
      stop("leader"),
      damage(wiped, "leader"),
      resume,
      lossIsTold("leader"),
      { do: "restore", from: "backup" },
      { do: "restored" },
    ],
    expect: { replaced: ["leader"], restores: 1, refusals: ["data-gone"], claimsLeft: 1 },
  },
  {
    name: "only-one-wiped-in-pod",
    size: 1,
    claims: false,
    steps: [
      keep("leader", "own"),
      freeze("leader"),
      keep("leader", "own"),
      damage(wiped, "leader"),
      kill("leader"),
      lossIsTold("leader"),
      give("leader", "own"),
    ],
    expect: { kept: ["leader"] },
  },
  {
    name: "only-one-on-another-cluster",
    size: 1,
    claims: true,
    steps: [
      { do: "neighbour", size: 1, as: "theirs" },
      keep("leader", "own"),
      stop("leader"),
      keep("leader", "own"),
      give("leader", "theirs"),
      resume,
      lossIsTold("leader"),
      give("leader", "own"),
    ],
    expect: { kept: ["leader"], refusals: ["other-cluster"] },
  },
  {
    name: "restored-first-member-wiped",
    claims: true,
    steps: [
      { do: "backup" },
      write(30),
      stop("follower", "other"),
      damage(wiped, "follower", "other"),
      resume,
      lossIsTold("follower", "other"),
      { do: "restore", from: "survivor" },
      { do: "catch-restored" },
      damage(wiped, "newcomer"),
      kill("newcomer"),
      { do: "restore-fails" },
      { do: "restored", isSecond: true },
    ],
    // The survivor, which had to start again without a majority, answers no request: nothing could be saved a second
    // time.
    expect: { replaced: ["follower", "other"], restores: 1, beginsAgain: true, claimsLeft: 3 },
  },
  {
    name: "restored-first-member-wiped-in-pod-reboots",
    claims: false,
    steps: [
      { do: "backup" },
      write(30),
      { do: "restore", from: "backup" },
      { do: "catch-restored" },
      damage(wiped, "newcomer"),
      reboot("newcomer"),
      { do: "restored" },
    ],
    expect: { restores: 1 },
  },
];
