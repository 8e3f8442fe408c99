import { runProgram } from "./program.ts";

await runProgram("etcd-restore-operator", process.argv.slice(2));
