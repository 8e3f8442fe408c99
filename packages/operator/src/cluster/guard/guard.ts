import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { dataDirectory } from "./data-directory.ts";
import { type LogReached, parseLogReached } from "./log-reached.ts";
import { GUARD_VARIABLES } from "./variables.ts";
import { type Expectation, type Verdict, verdict } from "./verdict.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Checks a data directory against the environment of its member. */
export function guard(dataDir: string, env: Environment): Verdict {
  // Beside the data and not in it, and gone together with it.
  const marker = join(dirname(dataDir), "guarded-pod-uid");
  const podUid = env[GUARD_VARIABLES.podUid] ?? "";
  const expected = expectationIn(env, podUid !== "" && textOf(marker) === podUid);
  const found = dataDirectory(dataDir, expected.logReached !== undefined);
  const judged = verdict(found, expected);
  if (judged.kind === "allowed" && found.kind === "empty") {
    mkdirSync(dirname(marker), { recursive: true });
    writeFileSync(marker, podUid, { flush: true });
  }
  return judged;
}

function expectationIn(env: Environment, isOwnData: boolean): Expectation {
  const start = env[GUARD_VARIABLES.start];
  if (start !== "seed" && start !== "joining" && start !== "returning" && start !== "restored") {
    throw new Error(`${GUARD_VARIABLES.start} is '${start ?? ""}': expected seed, joining, returning or restored`);
  }
  const [memberId, clusterId] = [idIn(env, "memberId"), idIn(env, "clusterId")];
  return { start, memberId, clusterId, isOwnData, logReached: logReachedIn(env) };
}

function logReachedIn(env: Environment): LogReached | undefined {
  const text = env[GUARD_VARIABLES.logReached] ?? "";
  const reached = parseLogReached(text);
  if (text === "" || reached) return reached;
  throw new Error(`${GUARD_VARIABLES.logReached} is '${text}': expected term, index, revision and at, as JSON`);
}

function idIn(env: Environment, key: "memberId" | "clusterId"): bigint | undefined {
  const text = env[GUARD_VARIABLES[key]] ?? "";
  if (text === "") return undefined;
  if (/^[0-9a-f]{1,16}$/i.test(text)) return BigInt(`0x${text}`);
  throw new Error(`${GUARD_VARIABLES[key]} is '${text}': expected an id in hexadecimal`);
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
