import { readFile } from "node:fs/promises";
import type { ObjectRef } from "../../src/kubernetes/kube-object.ts";
import type { LocalModeUnderTest } from "../../test/support/local/local-mode.ts";

/** How many passes over a cluster there have been. */
export async function passesOver(local: LocalModeUnderTest, { namespace, name }: ObjectRef): Promise<number> {
  const labels = `ClusterName="${name}",Namespace="${namespace}"`;
  return metric(await metricsPage(local), `etcd_operator_cluster_reconcile_duration_count{${labels}}`);
}

/** Resident memory of the operator's process, in MiB. */
export async function operatorMemoryMib(local: LocalModeUnderTest): Promise<number> {
  return metric(await metricsPage(local), "process_resident_memory_bytes") / 2 ** 20;
}

/** The value of one series on a page for Prometheus. */
export function metric(page: string, series: string): number {
  const line = page.split("\n").find((each) => each.startsWith(`${series} `));
  if (line === undefined) throw new Error(`the operator does not tell ${series}`);
  return Number(line.slice(series.length + 1));
}

async function metricsPage(local: LocalModeUnderTest): Promise<string> {
  const words = (await readFile(`/proc/${await local.operatorPid()}/cmdline`, "utf8")).split("\0");
  const [, address] = words.find((word) => word.startsWith("--listen-addr="))?.split("=") ?? [];
  if (address === undefined) throw new Error("the operator does not say where it listens");
  return (await fetch(`http://${address}/metrics`)).text();
}
