import { messageOf } from "@etcd-operator/kubernetes-client";
import { RECEIVE_CONTAINER, RESTORE_CONTAINER } from "../../transfer/names.ts";
import type { Action, Hold } from "../action.ts";
import type { RunProgress, SeedSeen } from "../observation.ts";
import type { GiveUpReason } from "../reasons.ts";
import type { Situation } from "../situation.ts";

const MINUTE_MS = 60_000;
/** Nothing that is on its way takes so long without getting on. */
const PATIENCE_MS = 15 * MINUTE_MS;
/** The tool rewrites the complete database, and raises every revision in it. */
const TOOL_PATIENCE_MS = 60 * MINUTE_MS;
/** Pods are not watched: this is seldom, and short. */
const LOOK_MS = 500;
/** A container may fail this often before the restore is aborted. */
const MOST_FAILURES = 3;

/** From the request to the first ready member: sends it the snapshot, and aborts when there is no progress. */
export function guideSeed(now: Situation): Action {
  const { seed, runs } = now.seen;
  if (seed?.failing && seed.failing.times >= MOST_FAILURES) {
    const { name, times, message } = seed.failing;
    const what = `Container '${name}' of pod '${seed.name}', in which the snapshot is restored, has failed ${times} times`;
    return abort("SeedFailed", `${what}: ${message}`, REMEDIES[name] ?? MEMBER_REMEDY);
  }
  if (seed && awaitsSnapshot(seed)) {
    const push = runs.push;
    if (!push) return { kind: "push", reason: "Sending", message: `Sending the snapshot to pod '${seed.name}'`, seed };
    if (push.kind === "failed") {
      return abort("NotSent", `The snapshot could not be sent to pod '${seed.name}': ${messageOf(push.error)}`);
    }
    const isSending = seed.receive === "running" && push.kind !== "ended";
    if (isSending) return sending(now, push.kind === "running" ? push.progress : undefined);
  }
  return overdue(now) ?? waiting(now);
}

/**
 * It is sent, or about to be: by then the store is open. Where its pod has trouble, it is unknown how long that
 * takes.
 */
function awaitsSnapshot({ receive, trouble }: SeedSeen): boolean {
  return receive === "running" || (receive === "waiting" && trouble === undefined);
}

function sending(now: Situation, progress: RunProgress | undefined): Hold {
  const message = progress?.trouble ?? `Sending the snapshot to pod '${now.seen.seed?.name}'`;
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

const TOOL_STEP = "Restoring the snapshot into the first member's data directory";

function stepOf(now: Situation): string {
  const { seed } = now.seen;
  switch (now.state) {
    case undefined:
      return "Waiting for the controller of EtcdClusters";
    case "Fencing":
      return "Stopping the previous members";
    default:
      if (!seed) return "Creating the first member's pod";
      if (seed.restore === "succeeded") return "Starting the first member";
      return seed.receive === "succeeded" ? TOOL_STEP : "Starting the first member's pod";
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
  const why = obstacleIn(now) ?? "cause unknown";
  return abort("Overdue", `No progress for ${patienceMs / MINUTE_MS} minutes at step "${step}" (${why})`);
}

/** What is wrong when a container ends again and again. */
const REMEDIES: Readonly<Record<string, string>> = {
  [RECEIVE_CONTAINER]: "Provide an empty volume, on a node with space for the snapshot file",
  [RESTORE_CONTAINER]: "Use another backup, or a version of etcd that can restore this one",
};
const MEMBER_REMEDY = "Fix the spec of the EtcdCluster";

function abort(reason: GiveUpReason, message: string, remedy = "See to that"): Action {
  const next = "then edit the spec of this EtcdRestore or create another one";
  return { kind: "give-up", reason, message: `${message}. ${remedy}, ${next}` };
}
