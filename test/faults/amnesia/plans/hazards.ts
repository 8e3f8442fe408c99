import type { PlanGiven } from "../plans.ts";
import { cutOff, damage, freeze, kill, reboot, reconnect, resume, stop, thaw, waitForHarm, write } from "../step.ts";

const wiped = { kind: "wiped" } as const;
/** Long enough for a container that was kept waiting, an election, and a reader to miss what was acknowledged. */
const HARM_MS = 8_000;

/** The first hazard: one who was away and one who forgot outvote the leader, which is late, and what it had acknowledged is gone. */
export const hazardPlans: readonly PlanGiven[] = [
  {
    name: "hazard-1-returning",
    claims: true,
    // The exact story of the first hazard: who was away lacks what the leader and the wiped one acknowledged, and the leader is late.
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
];
