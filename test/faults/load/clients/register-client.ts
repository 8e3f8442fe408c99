import { setTimeout as pause } from "node:timers/promises";
import type { EtcdClient } from "@etcd-operator/etcd-client";
import type { Random } from "../../../model/random.ts";
import { valueAfter } from "../checks/changes.ts";
import type { Action, Operation } from "../history/operation.ts";
import type { Value } from "../linearizability/register.ts";
import { ask } from "./ask.ts";
import { connectToAny, type Scene } from "./session.ts";

export interface ClientOptions {
  readonly name: string;
  readonly keys: readonly string[];
  /** How long it rests after each answer, about. */
  readonly paceMs: number;
}

const AFTER_FAILURE_MS = 50;

/**
 * Reads, writes, swaps and deletes keys that others use too, one thing after another. Nothing is asked twice: what a
 * failure left open stays open, and the next thing is asked of whichever member.
 */
export async function useRegisters(
  scene: Scene,
  { name, keys, paceMs }: ClientOptions,
  random: Random,
  signal: AbortSignal,
): Promise<void> {
  const known = new Map<string, Value>();
  let writes = 0;
  let connected: { client: EtcdClient; epoch: number } | undefined;
  const hangUp = () => {
    connected?.client.close();
    connected = undefined;
  };
  while (!signal.aborted) {
    // What was known of one cluster says nothing of another.
    if (connected?.epoch !== scene.epoch().number) hangUp();
    connected ??= await connectToAny(scene, random).catch(() => undefined);
    let isAnswered = false;
    if (connected) {
      const key = random.pick(keys) ?? "";
      writes += 1;
      const action = anAction(random, `${name}-${writes}`, known.get(key));
      const { client, epoch } = connected;
      const isDone = scene.recorder.call({ client: name, epoch, key, action });
      const operation = isDone(await ask(client, key, action));
      isAnswered = operation.outcome.kind === "ok";
      if (isAnswered) known.set(key, valueNow(operation));
      else hangUp();
    }
    const restMs = isAnswered ? paceMs / 2 + random.int(paceMs) : AFTER_FAILURE_MS;
    await pause(restMs, undefined, { signal }).catch(() => undefined);
  }
  hangUp();
}

function anAction(random: Random, to: string, known: Value): Action {
  const dice = random.int(100);
  if (dice < 40) return { kind: "read" };
  if (dice < 65) return { kind: "write", to };
  if (dice < 97) return { kind: "swap", from: known, to };
  return { kind: "delete" };
}

/** What a client that was answered has reason to think is there. */
function valueNow({ action, outcome }: Operation): Value {
  if (outcome.kind !== "ok") return undefined;
  return outcome.hasChanged ? valueAfter(action) : outcome.seen?.value;
}
