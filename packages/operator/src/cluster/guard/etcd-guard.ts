import { guard } from "./guard.ts";
import { exitCodeOf } from "./refusal.ts";

// The init container's program, on the path of every start: a bundle of its own, with nothing in it but node:fs.
const [dataDir = "/var/etcd/data"] = process.argv.slice(2);
try {
  const verdict = guard(dataDir, process.env);
  console.error(`guard: ${verdict.kind} ${dataDir}: ${verdict.message}`);
  if (verdict.kind === "refused") process.exitCode = exitCodeOf(verdict.refusal);
} catch (error) {
  console.error(`guard: could not check ${dataDir}: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
