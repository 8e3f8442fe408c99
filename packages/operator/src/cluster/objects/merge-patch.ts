import type { KubeObject, Stored } from "@etcd-operator/kubernetes-client";
import type { ServicePort } from "kubernetes-types/core/v1.d.ts";

type Fields = Readonly<Record<string, unknown>>;
type Written = KubeObject & { readonly spec?: object };

/** What is patched on an object so that it says all that ours says; undefined when it does. */
export interface MergePatch {
  readonly labels?: Fields;
  readonly spec?: Fields;
}

/**
 * The merge patch that gives an existing object our values, and keeps what others added. It is also what decides
 * whether anything has to be written: so nothing is found to differ that the patch does not change, and the same patch
 * is not made again and again.
 */
export function mergePatch<T extends Written>(wanted: T, present: Stored<T>): MergePatch | undefined {
  const labels = mapPatch(wanted.metadata?.labels ?? {}, present.metadata.labels ?? {});
  const spec = specPatch({ ...wanted.spec }, { ...present.spec });
  if (isEmpty(labels) && isEmpty(spec)) return undefined;
  return { ...(!isEmpty(labels) && { labels }), ...(!isEmpty(spec) && { spec }) };
}

function specPatch(wanted: Fields, found: Fields): Fields {
  const patch: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(wanted)) {
    const change = fieldPatch(field, value, found[field]);
    if (change !== undefined) patch[field] = change;
  }
  // Of a budget only one limit may be there; and with an address elsewhere a Service would not lead to members.
  if ("minAvailable" in wanted && isSet(found.maxUnavailable)) patch.maxUnavailable = null;
  if ("type" in wanted && isSet(found.externalName)) patch.externalName = null;
  return patch;
}

function fieldPatch(field: string, wanted: unknown, found: unknown): unknown {
  if (field === "ports") return portsPatch(wanted as ServicePort[], (found ?? []) as ServicePort[]);
  // How a Service is reached from outside the cluster is the user's to say, as long as it leads to members.
  if (field === "type" && isSet(found) && found !== "ExternalName") return undefined;
  // The API server takes another address only where there is none.
  if (field === "clusterIP" && isSet(found)) return undefined;
  if (field === "selector") {
    const patch = exactPatch(wanted as Fields, isFields(found) ? found : {});
    return isEmpty(patch) ? undefined : patch;
  }
  // The API server leaves out what is false.
  return (found ?? false) === (wanted ?? false) ? undefined : wanted;
}

/** A selector has nothing but what ours says: in a merge patch a key stays unless it is null. */
function exactPatch(wanted: Fields, found: Fields): Fields {
  const leftOver = Object.keys(found).filter((key) => !(key in wanted) && isSet(found[key]));
  const changes = Object.entries(wanted).flatMap(([key, value]): [string, unknown][] => {
    const old = found[key];
    if (!isFields(value)) return old === value ? [] : [[key, value]];
    const patch = exactPatch(value, isFields(old) ? old : {});
    return isEmpty(patch) ? [] : [[key, patch]];
  });
  return { ...Object.fromEntries(leftOver.map((key) => [key, null])), ...Object.fromEntries(changes) };
}

function mapPatch(wanted: Fields, found: Fields): Fields {
  return Object.fromEntries(Object.entries(wanted).filter(([key, value]) => found[key] !== value));
}

/** A list is patched as one: ours, and of the others those that are not in their way. */
function portsPatch(wanted: readonly ServicePort[], found: readonly ServicePort[]): readonly ServicePort[] | undefined {
  if (wanted.every((port) => found.some((other) => isSamePort(other, port)))) return undefined;
  const others = found.filter((other) => !wanted.some(({ name, port }) => other.name === name || other.port === port));
  return [...wanted, ...others];
}

function isSamePort(found: ServicePort, wanted: ServicePort): boolean {
  return (
    found.name === wanted.name &&
    found.port === wanted.port &&
    (found.targetPort ?? found.port) === wanted.targetPort &&
    (found.protocol ?? "TCP") === wanted.protocol
  );
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "" && !(Array.isArray(value) && value.length === 0);
}

function isEmpty(fields: Fields): boolean {
  return Object.keys(fields).length === 0;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
