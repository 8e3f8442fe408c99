import { defined } from "@etcd-operator/kubernetes-client";
import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import type { ClusterState } from "../model/cluster-state.ts";
import type { Situation } from "../model/situation.ts";
import { CA_ANNOTATIONS } from "./ca-annotations.ts";

type TlsStatus = NonNullable<EtcdClusterStatus["tls"]>[number];

/** What the schema allows. */
const MOST_AUTHORITIES = 16;

/** What the TLS Secrets hold, as the operator last read them, and whether the members that run believe it yet. */
export function tlsStatusOf({ now, old }: Pick<ClusterState, "now" | "old">): EtcdClusterStatus["tls"] {
  const { tls } = now.seen;
  if (!tls) return undefined;
  return tls.secrets?.map(({ use, name, ...read }): TlsStatus => {
    const known = old.tls?.find((each) => each.use === use && each.name === name);
    // What cannot be read now is a defect, and reported as such.
    const { certificate = known?.certificate, authorities = known?.authorities } = read;
    return defined<TlsStatus>({
      use,
      name,
      certificate,
      authorities: authorities && [...authorities].slice(0, MOST_AUTHORITIES),
      authoritiesInUse: use === "Operator" ? undefined : areInUse(use, authorities, known, now),
    });
  });
}

/**
 * etcd reads authorities when it starts: a member trusts those written on its pod. One that is away reports nothing
 * new.
 */
function areInUse(
  use: "Peer" | "Server",
  authorities: readonly string[] | undefined,
  known: TlsStatus | undefined,
  { voters }: Situation,
): boolean | undefined {
  const wanted = authorities?.join(",");
  if (wanted === undefined) return known?.authoritiesInUse;
  const annotation = CA_ANNOTATIONS[use === "Peer" ? "peer" : "server"];
  const pods = voters.map(({ pod }) => (pod?.isEtcdRunning && !pod.isTerminating ? pod : undefined));
  const believed = pods.map((pod) => pod?.metadata.annotations[annotation]);
  if (believed.some((each) => each !== undefined && each !== wanted)) return false;
  if (believed.length > 0 && believed.every((each) => each === wanted)) return true;
  return known?.authorities?.join(",") === wanted ? known.authoritiesInUse : undefined;
}
