import { readFileSync, statSync } from "node:fs";
import type { Cleanup } from "../cleanup.ts";
import { Stage } from "../cluster/stage.ts";
import { type Figure, figure } from "../figure.ts";
import { loadedFiles } from "./loaded-files.ts";
import { measureOperatorStart } from "./operator-start.ts";
import { measurePrograms } from "./programs.ts";

/** How soon our programs answer, how soon the operator watches, and how large it is. */
export async function measureStart(cleanup: Cleanup): Promise<readonly Figure[]> {
  const programs = measurePrograms();
  const started = await measureOperatorStart(await Stage.set(cleanup));
  return [...programs, ...started, measureBundle()];
}

const LIMIT_KIB = 2_048;
/** What packages/operator/src/cli/operate.ts loads for an operator, and not for those who only ask for something. */
const AT_ONCE = ["controllers-", "operator-process-"];

/** The size of the program that every operator loads; what only users of an object store need comes later. */
function measureBundle(): Figure {
  const files = loadedFiles("dist/etcd-operator.mjs", AT_ONCE, (file) => readFileSync(file, "utf8"));
  const kib = files.reduce((sum, file) => sum + statSync(file).size, 0) / 1024;
  return figure({ name: "etcd-operator: bundle", unit: "KiB", values: [kib], limits: [LIMIT_KIB], goal: 1 });
}
