import { isObject, ownValue, setKey } from "../kube-object.ts";

/** RFC 7396: what the patch names replaces what is there, null removes, lists are replaced as a whole. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else setKey(result, key, mergePatch(ownValue(result, key), value));
  }
  return result;
}
