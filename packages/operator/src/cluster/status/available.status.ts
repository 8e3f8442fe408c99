import { clientServiceName, labelSelector } from "../../api/cluster/cluster-names.ts";
import { namesAndWhy } from "../model/member-state.ts";
import type { MemberSeen } from "../model/members.ts";
import { healthyCount, isBarredBySpec, type Standing, votersWho } from "../model/standing.ts";
import type { ClusterVerdict } from "../reasons.ts";
import { whileReattaching } from "../restore/recovering.status.ts";
import { whileRestoring } from "../restore/while-restoring.status.ts";
import { alarmRaised } from "./alarms.status.ts";
import { whyBlind } from "./blind.status.ts";

type Verdict = ClusterVerdict<"Available">;

/** Whether clients can read and write: a majority serves, none of its alarms refuses writes, and the Service leads to somebody. */
export function available(standing: Standing): Verdict {
  const { hasQuorum, isMajorityLost, phase, ready } = standing;
  if (isMajorityLost) return no("MajorityLost", `${healthyCount(standing)}${goneForGood(standing)}`);
  if (isBarredBySpec(standing)) return no("InvalidSpec", "There is no cluster: the spec is not valid");
  const restoring = whileRestoring(standing);
  if (restoring) return no("Restoring", restoring);
  const reattaching = whileReattaching(standing);
  if (reattaching) return no("Reattaching", reattaching);
  if (phase === "Creating") return no("Creating", `The cluster is being created${whileCreating(standing)}`);
  const blind = hasQuorum ? undefined : whyBlind(standing);
  if (blind) return { isTrue: undefined, reason: "MembersUnreachable", message: blind };
  if (!hasQuorum) return withoutQuorum(standing);
  const [alarm] = [...alarmRaised("corrupt", standing), ...alarmRaised("no-space", standing)];
  if (alarm) return no(alarm.reason, alarm.message);
  if (standing.now.seen.objects.clientService.kind === "foreign")
    return no("ForeignService", serviceIsForeign(standing));
  if (ready.length === 0) return no("NoReadyMember", nobodyIsReady(standing));
  return { isTrue: true, reason: "MajorityHealthy", message: healthyCount(standing) };
}

function withoutQuorum(standing: Standing): Verdict {
  if (unhealthyVoters(standing).length > 0) return no("NoQuorum", whoIsNotHealthy(standing));
  return no("MembershipUnconfirmed", `${healthyCount(standing)}, but no majority confirms who is a member`);
}

function nobodyIsReady(standing: Standing): string {
  const { name } = standing.now.seen.cluster.metadata;
  const cause = `'kubectl describe pod -l ${labelSelector(name)}' tells why`;
  return `${healthyCount(standing)}, but no pod is ready, so no client gets through the Service '${clientServiceName(name)}'; ${cause}`;
}

/** Whatever else is well: who connects by the name of the cluster reaches something else. */
function serviceIsForeign(standing: Standing): string {
  const name = clientServiceName(standing.now.seen.cluster.metadata.name);
  return `${healthyCount(standing)}, but the Service '${name}' is not this cluster's, so its clients reach something else: rename or delete it`;
}

function no(reason: Verdict["reason"], message: string): Verdict {
  return { isTrue: false, reason, message };
}

function goneForGood(standing: Standing): string {
  const lost = votersWho("lost", standing);
  return lost.length === 0 ? "" : `; gone for good: ${namesAndWhy(lost)}`;
}

function whileCreating(standing: Standing): string {
  if (!standing.hasLived) return "";
  return standing.hasQuorum ? ": no member is ready for clients yet" : `: ${whoIsNotHealthy(standing)}`;
}

function whoIsNotHealthy(standing: Standing): string {
  const names = namesAndWhy(unhealthyVoters(standing));
  return names === "" ? healthyCount(standing) : `${healthyCount(standing)}; not ${names}`;
}

function unhealthyVoters({ voters }: Standing): readonly MemberSeen[] {
  return voters.filter(({ health }) => health !== "healthy");
}
