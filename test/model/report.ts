import { converge } from "./converge.ts";
import { worldOf } from "./old-operator.ts";
import { shrink } from "./shrink.ts";
import { type Event, Run, type Story, type Walk } from "./walk.ts";
import type { Ground, World } from "./world.ts";

/** What went wrong, the shortest story found that ends the same way, and how to see it again. */
export async function report(seed: number, { story, why = "" }: Walk): Promise<string> {
  return [
    `SEED=${seed}, after ${story.events.length} steps: ${why}`,
    "The same in fewer steps:",
    ...(await tell(await shrink(story, why))),
    `Again: make properties SEED=${seed} STEPS=1`,
  ].join("\n");
}

/** A story as lines to read. */
export async function tell({ ground, events, nodesReturn }: Story): Promise<string[]> {
  const run = new Run(worldOf(ground));
  const told: string[] = [];
  for (const [index, event] of events.entries()) {
    const broken = await run.take(event);
    told.push(`${index + 1}. ${inWords(event)}${run.did}`, ...broken.map((promise) => `   BROKEN ${promise}`));
  }
  const before = picture(run.world);
  const end = await converge(run.world, { nodesReturn });
  return [
    `a cluster ${groundInWords(ground)}`,
    ...told,
    `the world then: ${before}`,
    `left alone${nodesReturn ? "" : ", without the nodes that died"}:`,
    ...end.log.slice(0, 10).map((line) => `   ${line}`),
    ...(end.log.length > 12 ? [`   … ${end.log.length - 12} passes …`] : []),
    ...end.log.slice(Math.max(10, end.log.length - 2)).map((line) => `   ${line}`),
    `   in the end: ${picture(run.world)}; ${end.kind}${end.kind === "failed" ? `: ${end.why}` : ""}`,
  ];
}

function inWords(event: Event): string {
  const { do: what, ...rest } = event;
  const details = Object.values(rest).flat().join(" ");
  switch (what) {
    case "pass":
    case "act": {
      const { afterWrites, losesStatus, isLate } = event as Extract<Event, { do: "pass" }>;
      const dies = afterWrites === undefined ? "" : `, which dies after ${afterWrites} writes`;
      const late = what === "act" ? ` of one that slept${isLate ? " after its second look" : ""}` : "";
      return `a pass${late}${dies}${losesStatus ? ", whose status write fails" : ""}: `;
    }
    case "think":
      return "another operator makes up its mind, and falls asleep";
    case "stall":
      return "watches stall";
    default:
      return `${what} ${details}`.trim();
  }
}

function groundInWords({ size, hasClaims, isParallel, hasLearners, keepsClaims, isOld }: Ground): string {
  return [
    `of ${size}`,
    hasClaims ? `on claims${keepsClaims ? ", which are kept" : ""}` : "without claims",
    hasLearners ? "with learners" : "of an etcd without learners",
    isParallel ? "bootstrapped by all at once" : "bootstrapped by one",
    isOld ? "left by coreos/etcd-operator" : "",
  ]
    .filter(Boolean)
    .join(", ");
}

/** The members that exist, and their states. */
function picture(world: World): string {
  const etcd = world.etcds.get(world.cluster.status?.clusterID ?? "");
  const hosts = (etcd?.members ?? []).map(({ host }) => host);
  const names = new Set([...hosts, ...world.pods.keys(), ...world.claims.keys()]);
  const members = [...names].map((name) => {
    const entry = etcd?.members.find(({ host }) => host === name);
    const pod = world.pods.get(name);
    const part = entry ? `${entry.isLearner ? "learner" : "voter"}${entry.name ? "" : " (not started)"}` : "no member";
    const isLeader = entry !== undefined && entry.id === etcd?.leaderId;
    const state = pod
      ? [pod.stage, pod.isUp ? "up" : "down", pod.refusal, pod.isTerminating && "terminating"]
      : ["no pod"];
    return `${name}: ${[part, isLeader && "leads", ...state].filter(Boolean).join(" ")}`;
  });
  return `size ${world.cluster.spec.size}; ${members.join("; ") || "no members"}`;
}
