import { createHash } from "node:crypto";
import { keysIn } from "../model/etcd/snapshot.ts";
import { maskPassing, valuesIn } from "./end-state.ts";

const HASH_BYTES = 32;

/**
 * What a store of backups holds in the end, a line for each value, the same for every run that ended in the same way.
 * What was saved before a restore counts once: an interrupted operator saves again, and keeps both.
 */
export function storedState(objects: ReadonlyMap<string, Uint8Array>): readonly string[] {
  const lines = [...objects].flatMap(([key, bytes]) => contentOf(`store/${key}`, bytes)).map(maskPassing);
  return lines.filter((line, at) => !line.includes("_safety_") || lines.indexOf(line) === at).sort();
}

function contentOf(name: string, bytes: Uint8Array): readonly string[] {
  if (name.endsWith(".json")) return valuesIn(name, JSON.parse(Buffer.from(bytes).toString()));
  const snapshot = isWhole(bytes) ? keysIn(bytes) : undefined;
  return [
    snapshot ? `${name} holds ${[...snapshot.keys.keys()].sort().join(", ")}` : `${name} is not a complete snapshot`,
  ];
}

/** A snapshot ends with the hash of all that comes before. */
function isWhole(bytes: Uint8Array): boolean {
  const hash = createHash("sha256").update(bytes.subarray(0, -HASH_BYTES)).digest();
  return hash.equals(bytes.subarray(-HASH_BYTES));
}
