import { parseLogReached } from "@etcd-operator/operator/cluster/guard/log-reached.ts";
import { exitCodeOf } from "@etcd-operator/operator/cluster/guard/refusal.ts";
import { GUARD_VARIABLES } from "@etcd-operator/operator/cluster/guard/variables.ts";
import { type Expectation, verdict } from "@etcd-operator/operator/cluster/guard/verdict.ts";
import type { Disk } from "../etcd/disk.ts";
import type { ProgramEnd } from "./program.ts";

const MARKER = "guarded-pod-uid";

/** The guard, on a volume of the model: what it decides is decided by the real one's code. */
export function guardOn(disk: Disk, variables: ReadonlyMap<string, string>): ProgramEnd {
  const podUid = variables.get(GUARD_VARIABLES.podUid) ?? "";
  const expected: Expectation = {
    start: variables.get(GUARD_VARIABLES.start) as Expectation["start"],
    memberId: idIn(variables.get(GUARD_VARIABLES.memberId)),
    clusterId: idIn(variables.get(GUARD_VARIABLES.clusterId)),
    isOwnData: podUid !== "" && Buffer.from(disk.files.get(MARKER) ?? []).toString() === podUid,
    logReached: parseLogReached(variables.get(GUARD_VARIABLES.logReached) ?? ""),
  };
  const found = disk.directory;
  const judged = verdict(found, expected);
  if (judged.kind === "refused") {
    return { exitCode: exitCodeOf(judged.refusal), message: `guard: refused: ${judged.message}` };
  }
  if (found.kind === "empty") disk.files.set(MARKER, Buffer.from(podUid));
  return { exitCode: 0 };
}

function idIn(text = ""): bigint | undefined {
  return text === "" ? undefined : BigInt(`0x${text}`);
}
