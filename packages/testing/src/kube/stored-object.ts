import { randomUUID } from "node:crypto";
import type { KubeObject } from "./rest.ts";

/**
 * Writes an object straight into the etcd behind an API server, past its validation and admission.
 *
 * The server decodes whatever version it still knows when it reads, so this brings in objects that it would no longer
 * let a client create, such as the ones that old clusters carry along.
 */
export async function putStoredObject(etcdEndpoint: string, key: string, object: KubeObject): Promise<void> {
  const stored = {
    ...object,
    metadata: { uid: randomUUID(), creationTimestamp: new Date().toISOString(), ...object.metadata },
  };
  const body = JSON.stringify({ key: base64(key), value: base64(JSON.stringify(stored)) });
  const answer = await fetch(`${etcdEndpoint}/v3/kv/put`, { method: "POST", body });
  if (!answer.ok) throw new Error(`could not put ${key} into etcd: ${answer.status} ${await answer.text()}`);
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
