import { messageOf } from "@etcd-operator/kubernetes-client";
import type { Action, Failure } from "../action.ts";
import { conditionOf, isTrue } from "../attempt.ts";
import type { Observation } from "../observation.ts";
import type { UnverifiedReason } from "../reasons.ts";
import type { Situation } from "../situation.ts";
import { needlessInTrouble } from "./still-needed.ts";

/** Nothing is changed before the complete snapshot has been read and verified. */
export function verify(now: Situation): Action | undefined {
  const { restore, cluster, runs } = now.seen;
  if (isTrue(restore, "Verified") && restore.status?.snapshot?.sha256) return undefined;
  const mayDoWithout = restore.spec.preferNewerSurvivor === true && cluster !== undefined && !now.isOwnAndEmpty;
  if (mayDoWithout && conditionOf(restore, "Verified")?.status === "False") return undefined;
  const needless = needlessInTrouble(now, runs.verify);
  if (needless) return needless;
  const action: Verifying = verifying(runs.verify);
  const isRefused = action.kind === "fail" && mayDoWithout;
  return isRefused ? { kind: "record-refused", reason: action.reason, message: action.message } : action;
}

/** Where it fails, a reason why the backup must not be restored. */
type Verifying = Exclude<Action, Failure> | (Failure & { readonly reason: UnverifiedReason });

function verifying(run: Observation["runs"]["verify"]): Verifying {
  switch (run?.kind) {
    case undefined:
      return { kind: "verify", reason: "Verifying", message: "Reading and verifying the backup" };
    case "queued":
    case "running": {
      const { progress } = run.kind === "running" ? run : {};
      const message = progress?.trouble ?? "Reading and verifying the backup";
      return { kind: "hold", reason: "Verifying", message, phase: "Verifying", ...(progress && { progress }) };
    }
    case "failed":
      return notVerified("NotVerified", `The backup could not be verified: ${messageOf(run.error)}`);
    case "ended":
      return afterVerifying(run.result);
  }
}

function afterVerifying(result: Extract<Observation["runs"]["verify"], { kind: "ended" }>["result"]): Verifying {
  if (result.kind === "refused") return notVerified(result.reason, result.message);
  if (result.kind !== "verified") throw new TypeError(`verifying cannot end in '${result.kind}'`);
  const { snapshot } = result;
  const message = `Backup '${snapshot.path}' is verified: revision ${snapshot.revision}, ${snapshot.sizeBytes} bytes, of etcd ${snapshot.etcdVersion ?? "of an unknown version"}`;
  return { kind: "record-verified", reason: "Verified", message, snapshot };
}

function notVerified(reason: UnverifiedReason, message: string): Verifying {
  return { kind: "fail", reason, message: `${message}. Nothing was changed`, shows: "Verified" };
}
