import type { Random } from "../../../model/random.ts";
import type { Damage } from "../disk.ts";
import type { PlanGiven } from "../plans.ts";
import { damage, freeze, kill, reboot, resume, stop, write } from "../step.ts";

/**
 * Some of one member's files are gone, cut off or overwritten. Places are drawn, but for the beginning, which the guard
 * reads.
 */
export function damagedPlans(random: Random): readonly PlanGiven[] {
  const place = (from: number, to: number) => from + ((to - from) * random.int(1000)) / 1000;
  const away = (name: string, how: Damage, expect: PlanGiven["expect"]): PlanGiven => ({
    name: `${name}-away`,
    claims: true,
    steps: [stop("follower"), damage(how, "follower"), write(20), resume],
    expect,
  });
  const inPod = (name: string, how: Damage, expect: PlanGiven["expect"]): PlanGiven => ({
    name: `${name}-in-pod`,
    claims: false,
    steps: [freeze("follower"), damage(how, "follower"), write(20), kill("follower")],
    expect,
  });
  const others = ["leader", "other"] as const;
  const goes = { replaced: ["follower"], kept: others } as const;
  return [
    away("member-gone", { kind: "member-gone" }, { ...goes, refusals: ["data-gone"] }),
    inPod("member-gone", { kind: "member-gone" }, goes),
    away("log-gone", { kind: "log-gone" }, { ...goes, refusals: ["log-gone"] }),
    inPod("log-gone", { kind: "log-gone" }, goes),
    // All of a young log is there, and the database is made from it again.
    away("database-gone", { kind: "database-gone" }, { kept: [...others, "follower"] }),
    {
      ...inPod("database-gone-after-snapshots", { kind: "database-gone" }, goes),
      settings: { snapshotCount: 10 },
    },
    // What it had acknowledged may be in what was cut off. It need not come back as itself; nothing may be lost with
    // it.
    away("log-cut-late", { kind: "log-cut", at: place(0.7, 0.99) }, { kept: others }),
    inPod("log-cut-early", { kind: "log-cut", at: place(0.05, 0.4) }, { kept: others }),
    away("log-cut-at-once", { kind: "log-cut", at: 0 }, { ...goes, refusals: ["log-unreadable"] }),
    inPod("log-zeroed", { kind: "log-zeroed", from: place(0.3, 0.9) }, { kept: others }),
    away("log-zeroed-whole", { kind: "log-zeroed", from: 0 }, { ...goes, refusals: ["log-unreadable"] }),
    away("database-cut", { kind: "database-cut", at: place(0.2, 0.8) }, { kept: others }),
    inPod("database-zeroed", { kind: "database-zeroed", from: place(0, 0.5) }, { kept: others }),
    away("emptied", { kind: "emptied" }, { ...goes, refusals: ["log-unreadable"] }),
    {
      name: "emptied-reboots-in-pod",
      claims: false,
      steps: [freeze("leader"), damage({ kind: "emptied" }, "leader"), reboot("leader")],
      expect: { replaced: ["leader"], kept: ["follower", "other"], refusals: ["log-unreadable"] },
    },
  ];
}
