import { GROUP, SCOPE_ANNOTATION } from "./group.ts";
import type { ChangeRule, Rule } from "./schema/rule.ts";

/** On a pod: the etcd version that it runs, under the name that coreos/etcd-operator gave it. */
export const VERSION_ANNOTATION = "etcd.version";

const DOMAIN = `${GROUP}/`;

/** Whether an annotation is one of the operator's notes, which it relies on when it reads an object back. */
export function isOwnAnnotation(key: string): boolean {
  return key === VERSION_ANNOTATION || isOfOurDomain(key);
}

/** Whether a label marks an object as one that the operator made for a purpose of its own. */
export function isOfOurDomain(key: string): boolean {
  return key.startsWith(DOMAIN);
}

interface Place {
  /** From the object to the map, such as `spec.pod.annotations`. */
  readonly path: string;
  readonly what: "annotation" | "label";
  /** A key of our domain that is for users. */
  readonly except?: string;
}

const CLUSTER_PLACES: readonly Place[] = [
  { path: "spec.pod.labels", what: "label" },
  { path: "spec.pod.annotations", what: "annotation" },
];
const TEMPLATE_PLACES: readonly Place[] = [
  ...CLUSTER_PLACES.map(({ path, what }) => ({ path: `spec.clusterTemplate.${path}`, what })),
  { path: "spec.clusterTemplate.metadata.labels", what: "label" },
  { path: "spec.clusterTemplate.metadata.annotations", what: "annotation", except: SCOPE_ANNOTATION },
];

/**
 * Objects that a controller has seen keep what an older schema let in: nothing is made from it, and refusing them would
 * keep their status from being written. New objects must not have it, and no object gets more of it.
 */
export const newClusterForgesNothing = CLUSTER_PLACES.map(ofNewObjects);
export const newTemplateForgesNothing = TEMPLATE_PLACES.map(ofNewObjects);
export const clusterForgesNoMore = CLUSTER_PLACES.map(ofChanges);

function ofNewObjects(place: Place): Rule<object> {
  return {
    ...refusalOf(place),
    holds: (object) => "status" in object || reservedIn(place, object).length === 0,
    cel: `has(self.status) || !(${celHas("self", place)}) || self.${place.path}.all(key, !(${celReserved(place)}))`,
  };
}

function ofChanges(place: Place): ChangeRule {
  return {
    ...refusalOf(place),
    cel: `!(${celHas("self", place)}) || self.${place.path}.all(key, !(${celReserved(place)}) ||
      ${celHas("oldSelf", place)} && key in oldSelf.${place.path})`,
  };
}

function refusalOf(place: Place) {
  return {
    message: `${place.what} '{}' is reserved: the operator identifies its objects by it; remove it`,
    offender: {
      of: (object: object) => reservedIn(place, object)[0] ?? "",
      cel: `self.${place.path}.filter(key, ${celReserved(place)})[0]`,
    },
    fieldPath: `.${place.path}`,
  };
}

function reservedIn({ path, what, except }: Place, object: object): string[] {
  let at: unknown = object;
  for (const field of path.split(".")) at = (at as Record<string, unknown> | undefined)?.[field];
  const isReserved = what === "label" ? isOfOurDomain : isOwnAnnotation;
  return Object.keys(at ?? {}).filter((key) => isReserved(key) && key !== except);
}

function celReserved({ what, except }: Place): string {
  const ofOurDomain = `key.startsWith('${DOMAIN}')`;
  const isReserved = what === "label" ? ofOurDomain : `(key == '${VERSION_ANNOTATION}' || ${ofOurDomain})`;
  return except === undefined ? isReserved : `${isReserved} && key != '${except}'`;
}

/** Every block on the way may be absent. */
function celHas(root: string, { path }: Place): string {
  const fields = path.split(".");
  return fields.map((_, at) => `has(${[root, ...fields.slice(0, at + 1)].join(".")})`).join(" && ");
}
