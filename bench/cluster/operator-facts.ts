import type { ObjectRef } from "@etcd-operator/kubernetes-client";
import type { StartedOperator } from "../operator/started-operator.ts";

/** How many passes over a cluster there have been. */
export async function passesOver(operator: StartedOperator, { namespace, name }: ObjectRef): Promise<number> {
  const labels = `ClusterName="${name}",Namespace="${namespace}"`;
  return metric(await operator.metrics(), `etcd_operator_cluster_reconcile_duration_count{${labels}}`);
}

/** The value of one series on a page for Prometheus. */
export function metric(page: string, series: string): number {
  const line = page.split("\n").find((each) => each.startsWith(`${series} `));
  if (line === undefined) throw new Error(`the operator does not tell ${series}`);
  return Number(line.slice(series.length + 1));
}
