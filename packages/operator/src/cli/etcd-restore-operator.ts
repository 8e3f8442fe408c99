import { stopRequest } from "./stop-signal.ts";

// Before anything else is loaded: the first process of a container does not end by a signal that it does not listen
// for.
const stop = stopRequest();
const { runProgram } = await import("./program.ts");
await runProgram("etcd-restore-operator", process.argv.slice(2), stop);
