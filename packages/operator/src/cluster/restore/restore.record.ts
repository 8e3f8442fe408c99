import { rfc3339 } from "@etcd-operator/kubernetes-client";
import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import type { Action } from "../model/action.ts";
import type { Observation } from "../model/observation.ts";
import { withStatus } from "../model/with-status.ts";
import { isSetAside, nextIncarnation, type RestoreStatus } from "./restoring.rule.ts";

type ActionOf<K extends Action["kind"]> = Extract<Action, { kind: K }>;
type RestoreStep = ActionOf<"begin-restore" | "turn-restore">;

/** For which incarnation a restore of the newest backup was asked for, so that it is asked for once. */
export function recordRecovery(seen: Observation): Observation {
  return withStatus(seen, { recoveryIncarnation: seen.cluster.status?.incarnation ?? 0 });
}

/** Whether all that the previous members have acknowledged is in a store. */
export function recordSaved(seen: Observation, { allSaved }: ActionOf<"note-saved">): Observation {
  const { restore } = seen.cluster.status ?? {};
  return restore ? withStatus(seen, { restore: { ...restore, allSaved } }) : seen;
}

/** When room was made for a pod that found no place otherwise. */
export function recordRoom(seen: Observation, { noRoomFor }: ActionOf<"discard-set-aside">): Observation {
  const { restore } = seen.cluster.status ?? {};
  const isForRoom = noRoomFor !== undefined && restore !== undefined;
  return isForRoom ? withStatus(seen, { restore: { ...restore, roomMadeAt: rfc3339(seen.nowMs) } }) : seen;
}

/**
 * The status after a restore has begun or is rolled back. Nothing of the cluster that it replaces leaks into the new
 * one.
 */
export function recordRestoreStep(seen: Observation, action: RestoreStep): Observation {
  const { status = {} } = seen.cluster;
  const next = action.kind === "begin-restore" ? begun(status, action.restore) : turned(status, action);
  const cluster = { ...seen.cluster, status: next };
  if (action.kind === "turn-restore")
    return action.to === "RolledBack" ? returned(seen, cluster) : { ...seen, cluster };
  const isFormer = (made: { readonly incarnation: number | undefined }) => isSetAside(made, next);
  if (!seen.pods.some(isFormer) && !seen.claims.some(isFormer)) return { ...seen, cluster };
  return {
    ...seen,
    cluster,
    pods: seen.pods.filter((pod) => !isFormer(pod)),
    claims: seen.claims.filter((claim) => !isFormer(claim)),
    setAside: {
      pods: [
        ...seen.setAside.pods,
        ...seen.pods.filter(isFormer).map((pod) => ({ ...pod, mayRun: pod.stage !== "ended" })),
      ],
      claims: [...seen.setAside.claims, ...seen.claims.filter(isFormer)],
    },
    membership: { kind: "unknown" },
    alarms: [],
  };
}

/** What was set aside is what there is again. */
function returned(seen: Observation, cluster: Observation["cluster"]): Observation {
  const { setAside } = seen;
  const [pods, claims] = [
    [...seen.pods, ...setAside.pods],
    [...seen.claims, ...setAside.claims],
  ];
  return { ...seen, cluster, pods, claims, setAside: { pods: [], claims: [] } };
}

function begun(status: EtcdClusterStatus, restore: RestoreStatus): EtcdClusterStatus {
  // Cancelled before it began: nothing has changed.
  if (restore.state === "RolledBack") return { ...status, restore };
  return { ...withoutMembers(status), restore };
}

function turned(status: EtcdClusterStatus, { to, message, isKeeping }: ActionOf<"turn-restore">): EtcdClusterStatus {
  if (!status.restore) return status;
  const { reason: _, ...restore } = status.restore;
  switch (to) {
    case "Done": {
      const { previousMembers: __, ...over } = restore;
      const kept = isKeeping ? { keepsClaimsBelow: over.incarnation, reason: message } : {};
      return { ...status, restore: { ...over, state: to, ...kept } };
    }
    case "RollingBack":
      return { ...status, memberIntents: [], restore: { ...restore, state: to, reason: message } };
    case "RolledBack": {
      const { previousClusterID, previousIncarnation, previousMembers, ...over } = restore;
      // What its attempts were counted as is used up.
      const used = nextIncarnation(status) - 1;
      const { incarnation: __, ...rest } = withoutMembers(status);
      return {
        ...rest,
        ...(previousClusterID && { clusterID: previousClusterID }),
        ...(previousIncarnation !== undefined && { incarnation: previousIncarnation }),
        ...(previousMembers && { memberStatus: previousMembers }),
        restore: { ...over, ...(previousClusterID && { previousClusterID }), state: to, incarnation: used },
      };
    }
  }
}

/** All that is known of one cluster, and would be wrong of another. The incarnation counts on. */
function withoutMembers(status: EtcdClusterStatus): EtcdClusterStatus {
  const { clusterID: _, memberIntents: __, memberStatus: ___, logMark: ____, currentVersion: _____, ...rest } = status;
  return rest;
}
