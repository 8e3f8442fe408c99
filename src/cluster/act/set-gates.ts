import { resources } from "../../kubernetes/resources.ts";
import type { ActionOutcome, Step } from "../action.ts";
import { VOTER_CONDITION } from "../objects/annotations.ts";
import { allOf, unlessChanged } from "./postponed.ts";
import type { Work } from "./work.ts";

type SetGates = Extract<Step, { kind: "set-gates" }>;

/** Opens or closes pods to clients. Conditions are merged by type, so those of the kubelet stay as they are. */
export async function setGates({ seen, writer }: Work, { gates }: SetGates): Promise<ActionOutcome> {
  const lastTransitionTime = `${new Date(seen.nowMs).toISOString().slice(0, 19)}Z`;
  return allOf(
    gates.map(({ pod, isOpen }) => {
      const told = isOpen ? OPEN : CLOSED;
      const conditions = [{ type: VOTER_CONDITION, lastTransitionTime, ...told }];
      return unlessChanged(`Pod ${pod.name}`, () => writer.patchStatus(resources.pods, pod, { conditions }));
    }),
  );
}

const OPEN = { status: "True", reason: "Voter", message: "The member votes and serves clients" };
const CLOSED = { status: "False", reason: "NoVoter", message: "The member does not vote, so clients are kept away" };
