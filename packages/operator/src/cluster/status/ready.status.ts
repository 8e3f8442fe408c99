import type { ClusterVerdict } from "../reasons.ts";
import type { Stage } from "./stage.status.ts";

/** Whether everything that the spec asks for is there and serves: what `kubectl wait`, Flux and `helm --wait` wait for. */
export function ready({ course, reason, message }: Stage): ClusterVerdict<"Ready"> {
  return { isTrue: course === "unseen" ? undefined : course === "there", reason, message };
}

/** Whether the operator is on its way to what the spec says, and by which step. */
export function progressing({ course, reason, message }: Stage): ClusterVerdict<"Ready"> {
  return { isTrue: course === "underway", reason, message };
}

/** Whether it stays as it is until a person changes something; tools that know kstatus take it for a failure, and wait no longer. */
export function stalled({ course, reason, message }: Stage): ClusterVerdict<"Ready"> {
  return { isTrue: course === "stalled", reason, message };
}
