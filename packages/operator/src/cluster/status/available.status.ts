import { clientServiceName, labelSelector } from "../../api/cluster/cluster-names.ts";
import { type ClusterState, healthyCount, isBarredBySpec, votersWho } from "../model/cluster-state.ts";
import { namesAndWhy } from "../model/member-state.ts";
import type { MemberSeen } from "../model/members.ts";
import type { ClusterVerdict } from "../reasons.ts";
import { whileReattaching } from "../restore/recovering.status.ts";
import { whileRestoring } from "../restore/while-restoring.status.ts";
import { alarmRaised } from "./alarms.status.ts";
import { whyBlind } from "./blind.status.ts";

type Verdict = ClusterVerdict<"Available">;

/** Whether clients can read and write: a majority serves, no alarm refuses writes, and the Service has endpoints. */
export function available(state: ClusterState): Verdict {
  const { hasQuorum, isMajorityLost, phase, ready } = state;
  if (isMajorityLost) return no("MajorityLost", `${healthyCount(state)}${goneForGood(state)}`);
  if (isBarredBySpec(state)) return no("InvalidSpec", "There is no cluster: the spec is invalid");
  const restoring = whileRestoring(state);
  if (restoring) return no("Restoring", restoring);
  const reattaching = whileReattaching(state);
  if (reattaching) return no("Reattaching", reattaching);
  if (phase === "Creating") return no("Creating", `The cluster is being created${whileCreating(state)}`);
  const blind = hasQuorum ? undefined : whyBlind(state);
  if (blind) return { isTrue: undefined, reason: "MembersUnreachable", message: blind };
  if (!hasQuorum) return withoutQuorum(state);
  const [alarm] = [...alarmRaised("corrupt", state), ...alarmRaised("no-space", state)];
  if (alarm) return no(alarm.reason, alarm.message);
  if (state.now.seen.objects.clientService.kind === "foreign") return no("ForeignService", serviceIsForeign(state));
  if (ready.length === 0) return no("NoReadyMember", nobodyIsReady(state));
  return { isTrue: true, reason: "MajorityHealthy", message: healthyCount(state) };
}

function withoutQuorum(state: ClusterState): Verdict {
  if (unhealthyVoters(state).length > 0) return no("NoQuorum", whoIsNotHealthy(state));
  return no("MembershipUnconfirmed", `${healthyCount(state)}, but no majority confirms the member list`);
}

function nobodyIsReady(state: ClusterState): string {
  const { name } = state.now.seen.cluster.metadata;
  const cause = `'kubectl describe pod -l ${labelSelector(name)}' shows why`;
  return `${healthyCount(state)}, but no pod is ready, so the Service '${clientServiceName(name)}' has no endpoints; ${cause}`;
}

/** However healthy the rest is: a client that connects by the name of the cluster reaches something else. */
function serviceIsForeign(state: ClusterState): string {
  const name = clientServiceName(state.now.seen.cluster.metadata.name);
  return `${healthyCount(state)}, but the Service '${name}' belongs to another owner, so clients do not reach this cluster: rename or delete it`;
}

function no(reason: Verdict["reason"], message: string): Verdict {
  return { isTrue: false, reason, message };
}

function goneForGood(state: ClusterState): string {
  const lost = votersWho("lost", state);
  return lost.length === 0 ? "" : `; permanently lost: ${namesAndWhy(lost)}`;
}

function whileCreating(state: ClusterState): string {
  if (!state.hasLived) return "";
  return state.hasQuorum ? ": no member is ready for clients yet" : `: ${whoIsNotHealthy(state)}`;
}

function whoIsNotHealthy(state: ClusterState): string {
  const names = namesAndWhy(unhealthyVoters(state));
  return names === "" ? healthyCount(state) : `${healthyCount(state)}; not ${names}`;
}

function unhealthyVoters({ voters }: ClusterState): readonly MemberSeen[] {
  return voters.filter(({ health }) => health !== "healthy");
}
