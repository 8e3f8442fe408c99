import type { Refusal } from "../guard/refusal.ts";
import { isLost } from "./fate.ts";
import type { MemberSeen } from "./members.ts";
import { isStarted } from "./situation.ts";

export type Whereabouts =
  | "healthy"
  /** It answers, but has no majority to work with. */
  | "surviving"
  /** Its pod runs, but does not answer. */
  | "silent"
  /** It has no running pod; its data is still there, or was never made. */
  | "absent"
  /** The guard does not let it start on data that is not its own, or that it cannot read. */
  | "barred"
  /** Its data is gone for good. */
  | "lost";

/** Refusals that somebody could undo, by giving the member its own volume back. */
const UNDOABLE: readonly Refusal[] = [
  "other-member",
  "other-cluster",
  "log-unreadable",
  "not-empty",
  "unidentified",
  "log-behind",
];

export function whereaboutsOf(member: MemberSeen): Whereabouts {
  const { health, pod, isExternal } = member;
  if (health === "healthy") return "healthy";
  if (pod?.refusal && UNDOABLE.includes(pod.refusal)) return "barred";
  if (isLost(member) && hasHadData(member)) return "lost";
  if (pod?.answer.status) return "surviving";
  if (isExternal) return "silent";
  return pod?.stage === "running" && !pod.isTerminating ? "silent" : "absent";
}

/** Whether there was something to lose that cannot be elsewhere. */
function hasHadData({ etcd, intent, claim, isExternal }: MemberSeen): boolean {
  if (isExternal || etcd?.name === "" || intent?.purpose === "Join") return false;
  // Nobody knows whose data lies on the claim of a member that nobody knows, but it lies there.
  return etcd !== undefined || claim === undefined;
}

/** One that is on its way in is not missed when it is not healthy. */
export function hasJoined(member: MemberSeen): boolean {
  return member.intent === undefined && (member.etcd === undefined || isStarted(member));
}

/** One of whom an answer is due at some time: etcd lists it, or its pod has been made. */
export function isExpected({ etcd, intent, pod }: MemberSeen): boolean {
  return etcd !== undefined || (intent !== undefined && pod !== undefined);
}

/** Why a member is not healthy, as far as anybody knows. */
function whyNotHealthy(member: MemberSeen): string {
  const { pod, etcd, isExternal } = member;
  if (pod?.refusal) return `the guard refused its data: ${pod.refusal}`;
  if (isExternal) return "it was added by somebody else, and the operator cannot ask it";
  if (whereaboutsOf(member) === "lost") return "its pod is gone, and its data with it";
  if (pod?.trouble) return pod.trouble;
  if (!pod) return etcd?.name === "" ? "it has not started yet" : "it has no pod";
  if (pod.answer.otherClusterId) return `the etcd cluster ${pod.answer.otherClusterId} answers in its place`;
  if (pod.isTerminating) return "its pod is being deleted";
  if (!pod.isScheduled && member.claim?.isUnbound)
    return `its PersistentVolumeClaim '${member.claim.name}' is not bound yet`;
  if (!pod.isScheduled) return "its pod has not been assigned to a node yet";
  if (pod.stage !== "running") return pod.stage === "ended" ? "its pod has ended" : "its pod has not started yet";
  return pod.answer.why ?? (pod.answer.status ? "it finds no majority" : "it does not answer");
}

/** "b (it does not answer), c (it has no pod)" */
export function namesAndWhy(members: readonly MemberSeen[]): string {
  return members
    .map((member) => `${member.name} (${whyNotHealthy(member)})`)
    .sort()
    .join(", ");
}
