import type { PlanGiven } from "../plans.ts";
import {
  cutOff,
  damage,
  freeze,
  give,
  keep,
  kill,
  noted,
  reboot,
  reconnect,
  resume,
  stop,
  thaw,
  waitForHarm,
  write,
} from "../step.ts";

const wiped = { kind: "wiped" } as const;
/** Long enough for a container that was kept waiting, an election, and a reader to miss what was acknowledged. */
const HARM_MS = 8_000;
/** No member is replaced for being away while the stage is set. */
const patient = { replaceAfterSeconds: 300 } as const;

/**
 * The first hazard: a member that was away and one that lost its data outvote the leader, which is late, and what it
 * had acknowledged is gone.
 */
export const hazardPlans: readonly PlanGiven[] = [
  {
    name: "hazard-1-returning",
    claims: true,
    // The exact story of the first hazard: the one that was away lacks what the leader and the wiped one acknowledged,
    // and the leader is late.
    steps: [
      cutOff("other"),
      write(60),
      freeze("leader"),
      stop("follower"),
      damage(wiped, "follower"),
      reconnect("other"),
      resume,
      waitForHarm(HARM_MS),
      thaw("leader"),
      write(10),
    ],
    expect: { replaced: ["follower"], kept: ["other", "leader"], refusals: ["data-gone"] },
  },
  {
    name: "hazard-1-in-pod",
    claims: false,
    settings: { replaceAfterSeconds: 20 },
    steps: [
      cutOff("other"),
      write(60),
      freeze("leader", "follower"),
      damage(wiped, "follower"),
      kill("follower"),
      reconnect("other"),
      waitForHarm(HARM_MS),
      thaw("leader"),
      write(10),
    ],
    expect: { replaced: ["follower"], kept: ["other", "leader"] },
  },
  {
    name: "hazard-1-rebooted",
    claims: false,
    settings: { replaceAfterSeconds: 20 },
    steps: [
      cutOff("other"),
      write(60),
      freeze("leader", "follower"),
      damage(wiped, "follower"),
      reboot("follower"),
      reconnect("other"),
      waitForHarm(HARM_MS),
      thaw("leader"),
      write(10),
    ],
    expect: { replaced: ["follower"], kept: ["other", "leader"], refusals: ["data-gone"] },
  },
  {
    name: "hazard-1-older-volume",
    claims: true,
    settings: patient,
    // The copy is complete, and its own: it lacks what was acknowledged since.
    steps: [
      keep("follower", "then"),
      cutOff("other"),
      write(60),
      noted("follower"),
      freeze("leader"),
      stop("follower"),
      give("follower", "then"),
      reconnect("other"),
      resume,
      waitForHarm(HARM_MS),
      thaw("leader"),
      write(10),
    ],
    expect: { replaced: ["follower"], kept: ["other", "leader"], refusals: ["log-behind"] },
  },
  {
    name: "hazard-1-log-cut",
    claims: true,
    settings: patient,
    steps: [
      cutOff("other"),
      write(60),
      noted("follower"),
      freeze("leader"),
      stop("follower"),
      damage({ kind: "log-cut", at: 0.3 }, "follower"),
      reconnect("other"),
      resume,
      waitForHarm(HARM_MS),
      thaw("leader"),
      write(10),
    ],
    expect: { replaced: ["follower"], kept: ["other", "leader"], refusals: ["log-behind"] },
  },
  {
    name: "hazard-1-node-set-back",
    claims: false,
    settings: patient,
    // As when a machine is set back to a snapshot of itself: the same pod starts again, its guard first.
    steps: [
      keep("follower", "then"),
      cutOff("other"),
      write(60),
      noted("follower"),
      freeze("leader", "follower"),
      give("follower", "then"),
      reboot("follower"),
      reconnect("other"),
      waitForHarm(HARM_MS),
      thaw("leader"),
      write(10),
    ],
    expect: { replaced: ["follower"], kept: ["other", "leader"], refusals: ["log-behind"] },
  },
];
