import type { LocalModeUnderTest } from "@etcd-operator/testing/local/local-mode.ts";
import { type Figure, figure } from "../figure.ts";
import { repetitions } from "../repetitions.ts";

const LIMIT_MS = 3_000;

/** From starting the program to its word "ready", on the state of a former run. */
export async function measureStartToReady(local: LocalModeUnderTest): Promise<Figure> {
  const values: number[] = [];
  while (values.length < repetitions(11, 5)) {
    await local.stop();
    const started = performance.now();
    await local.start();
    values.push(performance.now() - started);
  }
  return figure({ name: "local mode: start to ready", unit: "ms", values, limits: [LIMIT_MS], goal: 1 });
}
