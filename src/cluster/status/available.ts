import type { MemberSeen } from "../members.ts";
import type { Verdict } from "./condition.ts";
import { healthyCount, isBarredBySpec, type Standing, votersWho } from "./standing.ts";
import { namesAndWhy } from "./whereabouts.ts";

/** Whether clients can read and write. */
export function available(standing: Standing): Verdict {
  const { isAvailable, isMajorityLost, phase } = standing;
  if (isAvailable) return { isTrue: true, reason: "MajorityHealthy", message: healthyCount(standing) };
  if (isMajorityLost) return no("MajorityLost", `${healthyCount(standing)}${goneForGood(standing)}`);
  if (isBarredBySpec(standing)) return no("InvalidSpec", "There is no cluster: the spec is not valid");
  if (phase === "Creating") return no("Creating", `The cluster is being created${whileCreating(standing)}`);
  if (unhealthyVoters(standing).length > 0) return no("NoMajority", whoIsNotHealthy(standing));
  return no("MembershipUnconfirmed", `${healthyCount(standing)}, but no majority confirms who is a member`);
}

function no(reason: string, message: string): Verdict {
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
