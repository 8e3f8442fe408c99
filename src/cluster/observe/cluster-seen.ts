import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import { describeProblem, judge, type Problem } from "../../api/judge.ts";
import type { Stored } from "../../kubernetes/kube-object.ts";
import type { Observation } from "../observation.ts";

/** A cluster with every default filled in, or as it is stored, with what is wrong with its spec. */
export function clusterSeen(stored: Stored<EtcdCluster>): Pick<Observation, "cluster" | "problems"> {
  const judged = judge("EtcdCluster", stored);
  // Judging fills in and leaves out, but keeps all of the metadata.
  if (judged.kind === "valid") return { cluster: { ...stored, ...judged.object } as Stored<EtcdCluster>, problems: [] };
  const illegible = statusFieldsIn(judged.problems);
  if (illegible.length > 0) return clusterSeen(withoutStatusFields(stored, illegible));
  const spec = isBlock(stored.spec) ? stored.spec : ({} as EtcdCluster["spec"]);
  return { cluster: { ...stored, spec }, problems: judged.problems.map(describeProblem) };
}

/** The first-level fields of the status that something is wrong with; "" for the status as a whole. */
function statusFieldsIn(problems: readonly Problem[]): string[] {
  return problems.flatMap(({ field }) => {
    const [top, inside = ""] = field.split(/[.[]/);
    return top === "status" ? [inside] : [];
  });
}

/**
 * A status from before there was a schema may hold anything, and it is not the user who has to put it right: what cannot be read is
 * left out. What we wrote ourselves went through the schema.
 */
function withoutStatusFields(stored: Stored<EtcdCluster>, illegible: readonly string[]): Stored<EtcdCluster> {
  const { status, ...rest } = stored;
  if (illegible.includes("") || !isBlock(status)) return rest as Stored<EtcdCluster>;
  const legible = Object.entries(status).filter(([field]) => !illegible.includes(field));
  return { ...rest, status: Object.fromEntries(legible) } as Stored<EtcdCluster>;
}

function isBlock(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
