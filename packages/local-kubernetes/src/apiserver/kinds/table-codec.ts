import type { JsonObject, KubeObject } from "../kube-object.ts";
import type { Entry } from "../storage/entry.ts";
import { decodeStored, encodeStored, type GroupVersionKind, spliced, splicedItem } from "../storage/stored-json.ts";
import { decodeAs } from "./decode.ts";
import type { Codec } from "./resource.ts";

/** For built-in kinds: bodies are read by the table of types, stored bytes go out as they are. */
export function tableCodec(gvk: GroupVersionKind, typeName: string = gvk.kind): Codec {
  const read = new WeakMap<Entry, KubeObject>();
  return {
    typeName,
    decode: (body: JsonObject) => decodeAs(typeName, body, gvk.version),
    encode: encodeStored,
    read: (entry, revision = entry.revision) => {
      if (revision !== entry.revision) return decodeStored(entry, gvk, revision);
      const known = read.get(entry) ?? decodeStored(entry, gvk);
      read.set(entry, known);
      return known;
    },
    write: (entry, revision) => spliced(entry, gvk, revision),
    writeItem: splicedItem,
  };
}
