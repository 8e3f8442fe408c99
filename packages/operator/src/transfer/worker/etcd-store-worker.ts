import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { serveDirectory, type WorkerIdentity } from "@etcd-operator/object-store";
import { POD_UID_VARIABLE, RESTORE_ONCE_VARIABLE, RESTORED_VALUE, TRANSFER_PATH, TRANSFER_PORT } from "../names.ts";
import { TRANSFER_FILES } from "../transfer-files.ts";
import { receiveSnapshot } from "./receive-snapshot.ts";
import { snapshotRoute } from "./snapshot-route.ts";

// The program of pods that a snapshot passes through: a separate bundle, with little in it beside Node.js itself.
const USAGE = `Usage: etcd-store-worker serve <directory>
       etcd-store-worker receive <file> <data directory>`;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    port: { type: "string", default: String(TRANSFER_PORT) },
    identity: { type: "string", default: TRANSFER_PATH },
    "idle-seconds": { type: "string", default: "600" },
  },
});
const stopped = new Promise<"stopped">((resolve) => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve("stopped"));
});

try {
  process.exitCode = await main(positionals);
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

async function main([command, path, dataDir]: readonly string[]): Promise<number> {
  if (command === "serve" && path) return serve(path);
  if (command === "receive" && path && dataDir) return receive(path, dataDir);
  say(USAGE);
  return 2;
}

async function serve(directory: string): Promise<number> {
  const idleMs = Number(values["idle-seconds"]) * 1000;
  const served = await serveDirectory({ directory, ...listening(), idleMs, moreRoutes: snapshotRoute });
  say(`serving ${directory} on port ${served.port}`);
  const why = await Promise.race([stopped, served.idle.then(() => "idle")]);
  await served.close();
  say(`ends: ${why}`);
  return 0;
}

/** Any other end than 0 keeps the next container from starting. */
async function receive(file: string, dataDir: string): Promise<number> {
  if (process.env[RESTORE_ONCE_VARIABLE] === RESTORED_VALUE) {
    say("the member is already restored");
    return 0;
  }
  makeWay(dataDir, process.env[POD_UID_VARIABLE] ?? "");
  if (existsSync(file)) {
    say(`${file} already exists`);
    return 0;
  }
  const receiver = await receiveSnapshot({ file, ...listening() });
  say(`waiting for a snapshot on port ${receiver.port}`);
  const why = await Promise.race([stopped, receiver.received.then(() => "received" as const)]);
  await receiver.close();
  say(why === "received" ? `${file} is verified` : "stopped");
  return why === "received" ? 0 : 1;
}

function listening() {
  return { ...readIdentity(values.identity), port: Number(values.port) };
}

function say(message: string): void {
  console.error(`worker: ${message}`);
}

/**
 * Makes sure that there is no data directory when the restore tool is about to create one. A node that crashed during
 * the restore leaves half of one behind, on which the tool would fail for ever; that half is deleted. Other data is
 * kept, and is an error.
 */
function makeWay(dataDir: string, podUid: string): void {
  // Beside the data and not in it, and deleted together with it. It says that the data next to it was restored in this
  // pod.
  const marker = join(dirname(dataDir), "restoring-pod-uid");
  const isOurs = podUid !== "" && existsSync(marker) && readFileSync(marker, "utf8") === podUid;
  if (!isOurs && existsSync(dataDir) && readdirSync(dataDir).length > 0) {
    throw new Error(
      `${dataDir} holds data that was not restored in this pod and is kept: give the member an empty volume`,
    );
  }
  rmSync(dataDir, { recursive: true, force: true });
  mkdirSync(dirname(marker), { recursive: true });
  writeFileSync(marker, podUid, { flush: true });
}

/** What the Secret of the pod holds, as files. */
function readIdentity(folder: string): WorkerIdentity {
  const read = (file: string) => readFileSync(join(folder, file), "utf8");
  return { cert: read(TRANSFER_FILES.cert), key: read(TRANSFER_FILES.key), token: read(TRANSFER_FILES.token).trim() };
}
