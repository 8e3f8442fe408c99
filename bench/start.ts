import { spawnSync } from "node:child_process";
import { type Figure, figure } from "./figure.ts";

const RUNS = 11;

/** How long a program takes from its start to its first answer, beside a Node.js that does nothing. */
export function measureStart(): readonly Figure[] {
  const limits = times(["-e", "0"]);
  return [
    figure({
      name: "etcd-operator --version",
      unit: "ms",
      values: times(["dist/etcd-operator.mjs", "--version"]),
      limits,
      goal: 2.5,
    }),
    figure({
      name: "etcd-operator validate",
      unit: "ms",
      values: times(["dist/etcd-operator.mjs", "validate", "example/example-etcd-cluster.yaml"]),
      limits,
      goal: 2.5,
    }),
  ];
}

function times(args: readonly string[]): readonly number[] {
  return Array.from({ length: RUNS }, () => {
    const started = performance.now();
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    if (status !== 0) throw new Error(`node ${args.join(" ")} failed: ${stderr}`);
    return performance.now() - started;
  });
}
