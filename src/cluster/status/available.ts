import type { Verdict } from "./condition.ts";
import { healthyCount, isBarredBySpec, type Standing, votersWho } from "./standing.ts";
import { namesAndWhy } from "./whereabouts.ts";

/** Whether clients can read and write. */
export function available(standing: Standing): Verdict {
  const { isAvailable, isMajorityLost, phase } = standing;
  if (isAvailable) return { isTrue: true, reason: "MajorityHealthy", message: healthyCount(standing) };
  if (isMajorityLost) return no("MajorityLost", `${healthyCount(standing)}${goneForGood(standing)}`);
  if (isBarredBySpec(standing)) return no("InvalidSpec", "There is no cluster: the spec is not valid");
  if (phase === "Creating") return no("Creating", whileCreating(standing));
  const unhealthy = standing.voters.filter(({ health }) => health !== "healthy");
  if (unhealthy.length === 0) {
    return no("MembershipUnconfirmed", `${healthyCount(standing)}, but no majority confirms who is a member`);
  }
  return no("NoMajority", `${healthyCount(standing)}; not ${namesAndWhy(unhealthy)}`);
}

function no(reason: string, message: string): Verdict {
  return { isTrue: false, reason, message };
}

function goneForGood(standing: Standing): string {
  const lost = votersWho("lost", standing);
  return lost.length === 0 ? "" : `; gone for good: ${namesAndWhy(lost)}`;
}

function whileCreating({ hasQuorum }: Standing): string {
  return hasQuorum
    ? "The cluster is being created: etcd answers, no member is ready for clients yet"
    : "The cluster is being created";
}
