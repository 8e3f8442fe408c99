import { watch } from "node:fs";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type LocalConfig, loadLocalConfig, type NodePlace } from "../config.ts";
import { LocalModeError } from "./local-mode-error.ts";

/**
 * Nodes can be switched off: a file of the node's name says so. A test or a user makes the file, the supervisor watches
 * the folder, and the node stays off, also over restarts, until the file is gone.
 */
function switches(stateDir: string): string {
  return join(stateDir, "nodes-off");
}

/** Ends a node at once with all its pods, as when a machine loses power; returns when it is down, and it stays down. */
export async function turnOff(stateDir: string, nodeName: string): Promise<void> {
  const place = await placeOf(stateDir, nodeName);
  await mkdir(switches(stateDir), { recursive: true });
  await writeFile(join(switches(stateDir), nodeName), "");
  await untilListens(place, false);
}

/** Lets a node that was switched off return; returns when its kubelet runs. */
export async function turnOn(stateDir: string, nodeName: string): Promise<void> {
  const place = await placeOf(stateDir, nodeName);
  await rm(join(switches(stateDir), nodeName), { force: true });
  await untilListens(place, true);
}

export async function nodesThatAreOn({ stateDir, nodes }: Pick<LocalConfig, "stateDir" | "nodes">): Promise<string[]> {
  const off = await readdir(switches(stateDir)).catch((): string[] => []);
  return nodes.map(({ nodeName }) => nodeName).filter((name) => !off.includes(name));
}

/** Calls back whenever a node may have been switched, until the signal. */
export async function followSwitches(stateDir: string, onChange: () => void, signal: AbortSignal): Promise<void> {
  await mkdir(switches(stateDir), { recursive: true });
  // The signal ends it; that the folder is removed with the rest of the state is no event.
  watch(switches(stateDir), { signal, persistent: false }, onChange).on("error", () => undefined);
  onChange();
}

async function placeOf(stateDir: string, nodeName: string): Promise<NodePlace> {
  const config = await loadLocalConfig(join(stateDir, "config.json")).catch(() => {
    throw new LocalModeError(`${stateDir} is not the folder of a local mode: name it with --state`);
  });
  const place = config.nodes.find((node) => node.nodeName === nodeName);
  if (place) return place;
  const names = config.nodes.map((node) => node.nodeName).join(", ");
  throw new LocalModeError(`There is no node ${nodeName}. There are: ${names}`);
}

const everyMs = 50;
const patienceMs = 30_000;

async function untilListens({ nodeName, kubeletPort }: NodePlace, wanted: boolean): Promise<void> {
  for (const deadline = performance.now() + patienceMs; (await listens(kubeletPort)) !== wanted; await pause(everyMs)) {
    if (performance.now() > deadline)
      throw new LocalModeError(`Node ${nodeName} did not react: does its local mode run?`);
  }
}

async function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port }, () => resolve(true));
    socket.once("error", () => resolve(false)).once("connect", () => socket.destroy());
  });
}
