import type { Stored } from "@etcd-operator/kubernetes-client";
import { resources, rfc3339 } from "@etcd-operator/kubernetes-client";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { allOf, type Postponed, postponed, settled, unlessChanged } from "../act/postponed.ts";
import type { Work } from "../act/work.ts";
import type { ActionOutcome, ObjectId, Step } from "../model/action.ts";
import { VOTER_CONDITION } from "../objects/annotations.ts";
import type { ConditionReason } from "../reasons.ts";

type SetGates = Extract<Step, { kind: "set-gates" }>;

/**
 * Opens or closes pods to clients. Conditions are merged by type, so those of the kubelet stay as they are. A pod is
 * closed only if it and its cluster are unchanged: another pod may have its address by now, and may have answered.
 */
export async function setGates(work: Work, { gates }: SetGates): Promise<ActionOutcome> {
  const change = await whyNotToClose(work, gates);
  return change ?? allOf(gates.map(({ pod, isOpen }) => setGate(work, pod, isOpen ? OPEN : CLOSED)));
}

/** Opens the pod of a voter for which another action was done; if that fails, the next reconcile does it. */
export async function openGate(work: Work, { metadata, spec }: Stored<Pod>): Promise<void> {
  if (!spec?.readinessGates?.some(({ conditionType }) => conditionType === VOTER_CONDITION)) return;
  await setGate(work, metadata, OPEN);
}

/** Closes a pod before its etcd is stopped, so that neither clients nor the disruption budget count on it meanwhile. */
export async function closeGate(work: Work, { metadata }: Stored<Pod>): Promise<void> {
  await setGate(work, metadata, {
    ...CLOSED,
    message: "The member is about to be restarted and is removed from the Service",
  });
}

/** Whether the operator admits clients. */
export function isGateOpen({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === VOTER_CONDITION && is === "True") ?? false;
}

async function setGate({ seen, writer }: Work, pod: ObjectId, told: Gate): Promise<ActionOutcome> {
  const conditions = [{ type: VOTER_CONDITION, lastTransitionTime: rfc3339(seen.nowMs), ...told }];
  return unlessChanged(`Pod ${pod.name}`, () => writer.patchStatus(resources.pods, pod, { conditions }));
}

async function whyNotToClose({ seen, live }: Work, gates: SetGates["gates"]): Promise<Postponed | undefined> {
  const closed = gates.filter(({ isOpen }) => !isOpen);
  if (closed.length === 0) return undefined;
  const [change, ...pods] = await settled([
    live.clusterHasChanged(),
    ...closed.map(({ pod }) => live.find(resources.pods, pod.name)),
  ]);
  if (change) return change;
  const moved = closed.find(({ pod }, at) => {
    const known = seen.pods.find(({ uid }) => uid === pod.uid);
    return known?.ip !== (pods[at]?.status?.podIP || undefined);
  });
  return moved && postponed(`Pod ${moved.pod.name} has another address than the one that was queried`);
}

interface Gate {
  readonly status: "True" | "False";
  readonly reason: ConditionReason<typeof VOTER_CONDITION>;
  readonly message: string;
}

const OPEN: Gate = { status: "True", reason: "Voter", message: "The member is a voter and serves clients" };
const CLOSED: Gate = {
  status: "False",
  reason: "NotVoting",
  message: "The member is not a voter and is removed from the Service",
};
