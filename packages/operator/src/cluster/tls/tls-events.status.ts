import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import { type ClusterEvent, clusterEvent } from "../reasons.ts";

type TlsStatus = NonNullable<EtcdClusterStatus["tls"]>[number];

/** How far a change of certificates or authorities has come, in the steps of docs/operations/tls.md. */
export function tlsEvents(previous: EtcdClusterStatus | undefined, next: EtcdClusterStatus): ClusterEvent[] {
  const turns = (next.tls ?? []).flatMap((after) => {
    const before = previous?.tls?.find(({ use }) => use === after.use);
    return before ? [{ before, after }] : [];
  });
  return [...authoritiesSeen(turns), ...certificatesSeen(turns), ...inUse(turns)];
}

interface Turn {
  readonly before: TlsStatus;
  readonly after: TlsStatus;
}

/** One Event for all Secrets: with three for each step a rotation would take more than an object's share of Events. */
function authoritiesSeen(turns: readonly Turn[]): ClusterEvent[] {
  const changed = turns.filter(({ before, after }) => {
    return before.authorities !== undefined && before.authorities.join() !== after.authorities?.join();
  });
  const titles = changed.map(({ before, after }) => {
    const [were, are] = [before.authorities ?? [], after.authorities ?? []];
    const [added, removed] = [are.filter((each) => !were.includes(each)), were.filter((each) => !are.includes(each))];
    return `${titleOf(after)} now ${are.length} (${added.length} added, ${removed.length} removed)`;
  });
  const ofMembers =
    "Leave the certificates as they are until the Event TlsAuthoritiesInUse: members are restarted one after the other";
  return seen("TlsAuthoritiesChanged", changed, `Other authorities in ${titles.join(", ")}. `, ofMembers);
}

function certificatesSeen(turns: readonly Turn[]): ClusterEvent[] {
  const changed = turns.filter(({ before, after }) => before.certificate && before.certificate !== after.certificate);
  const names = changed.map(({ after }) => titleOf(after)).join(", ");
  const ofMembers = "Members show it within two minutes, without a restart";
  return seen("TlsCertificateChanged", changed, `Another certificate in ${names}. `, ofMembers);
}

function seen(
  reason: ClusterEvent["reason"],
  changed: readonly Turn[],
  what: string,
  ofMembers: string,
): ClusterEvent[] {
  if (changed.length === 0) return [];
  const isOfMembers = changed.some(({ after }) => after.use !== "Operator");
  return [clusterEvent(reason, `${what}${isOfMembers ? ofMembers : "The operator uses it at once"}`)];
}

/** Once, when the last of the members believes what the last of the Secrets says. */
function inUse(turns: readonly Turn[]): ClusterEvent[] {
  const ofMembers = turns.filter(({ after }) => after.use !== "Operator");
  const wasBehind = ofMembers.some(({ before }) => before.authoritiesInUse === false);
  if (!wasBehind || !ofMembers.every(({ after }) => after.authoritiesInUse === true)) return [];
  const several = ofMembers.filter(({ after }) => (after.authorities ?? []).length > 1);
  const message =
    several.length > 0
      ? `All members trust the authorities of ${several.map(({ after }) => titleOf(after)).join(" and ")}. Next: change the certificates, then leave the old authority out (docs/operations/tls.md)`
      : "All members trust the authorities of their Secrets, and no others. The change of authority is done";
  return [clusterEvent("TlsAuthoritiesInUse", message)];
}

function titleOf({ name, use }: TlsStatus): string {
  return `Secret '${name}' (${USES[use]})`;
}

const USES: Readonly<Record<TlsStatus["use"], string>> = {
  Peer: "members to each other",
  Server: "members to clients",
  Operator: "the operator",
};
