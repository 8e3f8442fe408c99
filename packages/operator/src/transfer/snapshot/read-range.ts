import type { GetOptions, ObjectStore } from "@etcd-operator/object-store";

/** A piece of an object as one buffer; fewer bytes than asked for when it ends before. */
export async function readRange(
  store: Pick<ObjectStore, "get">,
  key: string,
  options: GetOptions & { readonly length: number },
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of store.get(key, options)) chunks.push(chunk);
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}
