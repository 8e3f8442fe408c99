import { spawnSync } from "node:child_process";
import { type Figure, figure } from "../figure.ts";
import { repetitions } from "../repetitions.ts";

const nothing = ["-e", "0"];
const programs: Readonly<Record<string, readonly string[]>> = {
  "etcd-operator --version": ["dist/etcd-operator.mjs", "--version"],
  "etcd-operator validate": ["dist/etcd-operator.mjs", "validate", "example/example-etcd-cluster.yaml"],
};

/** How long a program takes from its start to its first answer, beside a Node.js that does nothing. */
export function measurePrograms(): readonly Figure[] {
  return Object.entries(programs).map(([name, args]) => {
    // In turns, so that what slows the machine down for a while meets both.
    const pairs = Array.from({ length: repetitions(21, 7) }, () => [timeOf(args), timeOf(nothing)] as const);
    const [values, limits] = [pairs.map(([value]) => value), pairs.map(([, limit]) => limit)];
    return figure({ name, unit: "ms", values, limits, goal: 2.5 });
  });
}

function timeOf(args: readonly string[]): number {
  const started = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`node ${args.join(" ")} failed: ${stderr}`);
  return performance.now() - started;
}
