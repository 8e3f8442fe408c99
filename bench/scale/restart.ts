import { until } from "@etcd-operator/testing/until.ts";
import type { OperatorRun } from "./operator-run.ts";
import { isWrite } from "./request-kind.ts";
import type { Stage } from "./stage.ts";

export interface Restarted {
  readonly operator: OperatorRun;
  /** From the start of the process until it had looked at every cluster. */
  readonly reconciledMs: number;
  /** What it took of the processors meanwhile. */
  readonly cpuMs: number;
}

/** Starts the operator with everything in place: a pass over each cluster, and nothing to do in any of them. */
export async function restart(stage: Stage): Promise<Restarted> {
  const { simulation, proxy, clusters } = stage;
  await simulation.mark();
  proxy.take();
  const operator = await stage.startOperator();
  const seenAll = async () => {
    const report = await simulation.report();
    return report.clusters === clusters && report;
  };
  const patience = { what: `${clusters} clusters to be looked at`, timeoutMs: 240_000, unless: operator.diedEarly };
  const { lastClusterAtMs } = await until(seenAll, patience);
  const cpuMs = (await operator.cpuSeconds()) * 1000;
  complain(proxy.take());
  return { operator, reconciledMs: lastClusterAtMs - operator.startedAtMs, cpuMs };
}

/** Who has to put things right first is not measured as one who finds them in place. */
function complain(asked: ReturnType<Stage["proxy"]["take"]>): void {
  const wrong = asked.filter(({ kind }) => isWrite(kind) && kind.resource !== "leases");
  if (wrong.length === 0) return;
  const told = wrong.map(({ kind, times }) => `${kind.verb} ${kind.resource} ${times} times`);
  throw new Error(`the operator found something to do: ${told.join(", ")}`);
}
