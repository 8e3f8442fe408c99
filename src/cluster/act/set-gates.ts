import { resources } from "../../kubernetes/resources.ts";
import type { ActionOutcome, Step } from "../action.ts";
import { VOTER_CONDITION } from "../objects/annotations.ts";
import { allOf, type Postponed, postponed, settled, unlessChanged } from "./postponed.ts";
import type { Work } from "./work.ts";

type SetGates = Extract<Step, { kind: "set-gates" }>;

/**
 * Opens or closes pods to clients. Conditions are merged by type, so those of the kubelet stay as they are. A pod is closed only if it and
 * its cluster are still what they were: somebody else may have its address by now, and it was they who answered.
 */
export async function setGates(work: Work, { gates }: SetGates): Promise<ActionOutcome> {
  const { seen, writer } = work;
  const change = await whyNotToClose(work, gates);
  if (change) return change;
  const lastTransitionTime = `${new Date(seen.nowMs).toISOString().slice(0, 19)}Z`;
  return allOf(
    gates.map(({ pod, isOpen }) => {
      const told = isOpen ? OPEN : CLOSED;
      const conditions = [{ type: VOTER_CONDITION, lastTransitionTime, ...told }];
      return unlessChanged(`Pod ${pod.name}`, () => writer.patchStatus(resources.pods, pod, { conditions }));
    }),
  );
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
  return moved && postponed(`Pod ${moved.pod.name} has another address than the one that was asked`);
}

const OPEN = { status: "True", reason: "Voter", message: "The member votes and serves clients" };
const CLOSED = { status: "False", reason: "NoVoter", message: "The member does not vote, so clients are kept away" };
