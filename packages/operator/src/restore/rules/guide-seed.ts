import { messageOf } from "@etcd-operator/kubernetes-client";
import { RECEIVE_CONTAINER, RESTORE_CONTAINER } from "../../transfer/names.ts";
import type { Action, Hold } from "../action.ts";
import type { RunProgress, SeedSeen } from "../observation.ts";
import type { GiveUpReason } from "../reasons.ts";
import type { Situation } from "../situation.ts";

const MINUTE_MS = 60_000;
/** Nothing that is on its way takes so long without getting on. */
const PATIENCE_MS = 15 * MINUTE_MS;
/** The tool writes the whole database anew, and raises every revision in it. */
const TOOL_PATIENCE_MS = 60 * MINUTE_MS;
/** Pods are not watched: this is seldom, and short. */
const LOOK_MS = 500;
/** So often a container may end before it is given up. */
const MOST_FAILURES = 3;

/** From the request to the first member that serves: brings it the snapshot, and gives up when it does not come to anything. */
export function guideSeed(now: Situation): Action {
  const { seed, runs } = now.seen;
  if (seed?.failing && seed.failing.times >= MOST_FAILURES) {
    const { name, times, message } = seed.failing;
    const what = `Container '${name}' of pod '${seed.name}', which is to be restored, has failed ${times} times`;
    return giveUp("SeedFailed", `${what}: ${message}`, REMEDIES[name] ?? MEMBER_REMEDY);
  }
  if (seed && awaitsSnapshot(seed)) {
    const push = runs.push;
    if (!push) return { kind: "push", reason: "Sending", message: `The snapshot is sent to pod '${seed.name}'`, seed };
    if (push.kind === "failed") {
      return giveUp("NotSent", `The snapshot could not be brought to pod '${seed.name}': ${messageOf(push.error)}`);
    }
    const isSending = seed.receive === "running" && push.kind !== "ended";
    if (isSending) return sending(now, push.kind === "running" ? push.progress : undefined);
  }
  return overdue(now) ?? waiting(now);
}

/** It does, or is about to: by then the store is open. Where its pod has trouble, nobody knows how long that takes. */
function awaitsSnapshot({ receive, trouble }: SeedSeen): boolean {
  return receive === "running" || (receive === "waiting" && trouble === undefined);
}

function sending(now: Situation, progress: RunProgress | undefined): Hold {
  const message = progress?.trouble ?? `The snapshot is sent to pod '${now.seen.seed?.name}'`;
  return { ...waiting(now), reason: "Sending", message, ...(progress && { progress }) };
}

function waiting(now: Situation): Hold {
  const step = stepOf(now);
  const obstacle = obstacleIn(now);
  const message = obstacle ? `${step}; ${obstacle}` : step;
  return {
    kind: "hold",
    reason: "Restoring",
    message,
    phase: "Restoring",
    progress: { step },
    recheckAfterMs: LOOK_MS,
  };
}

const TOOL_STEP = "The first member's data is made from the snapshot";

function stepOf(now: Situation): string {
  const { seed } = now.seen;
  switch (now.state) {
    case undefined:
      return "The controller of EtcdClusters has not begun yet";
    case "Fencing":
      return "The old members stop";
    default:
      if (!seed) return "The first member's pod is made";
      if (seed.restore === "succeeded") return "The first member starts";
      return seed.receive === "succeeded" ? TOOL_STEP : "The first member's pod starts";
  }
}

function obstacleIn(now: Situation): string | undefined {
  const { cluster, seed } = now.seen;
  if (seed?.trouble) return `pod '${seed.name}': ${seed.trouble}`;
  const { restore, reason } = cluster?.status ?? {};
  return (now.state === undefined ? reason : restore?.reason) || undefined;
}

/** The step has not ended for too long. */
function overdue(now: Situation): Action | undefined {
  const { progress } = now.seen.restore.status ?? {};
  const step = stepOf(now);
  const patienceMs = step === TOOL_STEP ? TOOL_PATIENCE_MS : PATIENCE_MS;
  if (progress?.step !== step || now.seen.nowMs - Date.parse(progress.startedAt) <= patienceMs) return undefined;
  const why = obstacleIn(now) ?? "nothing is known to stand in the way";
  return giveUp("Overdue", `For ${patienceMs / MINUTE_MS} minutes it has got no further than this: ${step}; ${why}`);
}

/** What is wrong when a container ends again and again. */
const REMEDIES: Readonly<Record<string, string>> = {
  [RECEIVE_CONTAINER]: "Give it a volume that is empty, on a node with room for the file of the snapshot",
  [RESTORE_CONTAINER]: "Name another backup, or a version of etcd that can restore this one",
};
const MEMBER_REMEDY = "Correct what the spec of the EtcdCluster says of its members";

function giveUp(reason: GiveUpReason, message: string, remedy = "See to that"): Action {
  const next = "then edit the spec of this EtcdRestore or make another one";
  return { kind: "give-up", reason, message: `${message}. ${remedy}, ${next}` };
}
