import { runProgram } from "./program.ts";

await runProgram("etcd-backup-operator", process.argv.slice(2));
