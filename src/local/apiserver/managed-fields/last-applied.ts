import { isObject, type JsonObject, type KubeObject, objectIn, textIn } from "../kube-object.ts";
import { fieldsOf } from "./applied-fields.ts";
import { compare } from "./compare.ts";
import { difference, type FieldSet, NOTHING } from "./field-set.ts";
import type { MapShape } from "./shape.ts";

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

// As much as all annotations of an object may have together.
const MAX_BYTES = 256 * 1024;

/** The fields that the live object still has as client-side apply wrote them; undefined: it did not. */
export function allowedByLastApplied(shape: MapShape, live: KubeObject): FieldSet | undefined {
  const text = textIn(live.metadata, "annotations", LAST_APPLIED);
  const applied = text === "" ? undefined : parsed(text);
  if (!isObject(applied) || applied.apiVersion !== live.apiVersion) return undefined;
  const { added, modified, removed } = compare(shape, applied, live) ?? {};
  const fields = fieldsOf(shape, applied);
  return [added, modified, removed].reduce<FieldSet>((rest, each) => difference(rest, each ?? NOTHING), fields);
}

/** Keeps the annotation true, for those who go back to client-side apply. */
export function withLastApplied<Result extends { readonly object: JsonObject }>(result: Result, applied: JsonObject) {
  const metadata = objectIn(result.object, "metadata");
  const annotations = objectIn(metadata, "annotations");
  if (!annotations[LAST_APPLIED]) return result;
  const text = `${JSON.stringify(sorted(withoutAnnotation(applied)))}\n`;
  const value = Buffer.byteLength(text) > MAX_BYTES ? "" : text;
  const object = {
    ...result.object,
    metadata: { ...metadata, annotations: { ...annotations, [LAST_APPLIED]: value } },
  };
  return { ...result, object };
}

function withoutAnnotation(applied: JsonObject): JsonObject {
  const metadata = objectIn(applied, "metadata");
  const { [LAST_APPLIED]: had, ...annotations } = objectIn(metadata, "annotations");
  return had === undefined ? applied : { ...applied, metadata: { ...metadata, annotations } };
}

// Go writes the keys of a map in alphabetical order.
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, item]) => [name, sorted(item)]));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
