import { runProgram } from "./program.ts";

await runProgram("etcd-operator", process.argv.slice(2));
