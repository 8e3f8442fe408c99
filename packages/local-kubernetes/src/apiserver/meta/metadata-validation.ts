import { type Cause, forbidden, invalid, required } from "../crd/cause.ts";
import { type KubeObject, type ObjectMeta, sameJson } from "../kube-object.ts";
import { labelValueErrors, type NameRule, nameErrors, qualifiedNameErrors } from "./names.ts";

/** What is wrong with the metadata of an object that is to be created. */
export function metadataCauses({ metadata }: KubeObject, rule: NameRule): Cause[] {
  const { name = "" } = metadata;
  const nameCauses =
    name === ""
      ? [required("metadata.name", "name or generateName is required")]
      : nameErrors(rule, name).map((error) => invalid("metadata.name", name, error));
  return [...nameCauses, ...commonCauses(metadata)];
}

/** What is wrong with the metadata of an object that is to replace `old`. */
export function metadataUpdateCauses({ metadata }: KubeObject, { metadata: old }: KubeObject): Cause[] {
  const immutable = (["uid", "creationTimestamp", "deletionTimestamp"] as const).filter(
    (field) => metadata[field] !== old[field],
  );
  return [
    ...immutable.map((field) => invalid(`metadata.${field}`, metadata[field], "field is immutable")),
    ...newFinalizers(metadata, old),
    ...commonCauses(metadata),
  ];
}

function commonCauses({ labels = {}, annotations = {}, ownerReferences = [], finalizers = [] }: ObjectMeta): Cause[] {
  return [
    ...Object.entries(labels).flatMap(([key, value]) => [
      ...qualifiedNameErrors(key).map((error) => invalid("metadata.labels", key, error)),
      ...labelValueErrors(value).map((error) => invalid("metadata.labels", value, error)),
    ]),
    ...Object.keys(annotations).flatMap((key) =>
      qualifiedNameErrors(key.toLowerCase()).map((error) => invalid("metadata.annotations", key, error)),
    ),
    ...ownerCauses(ownerReferences),
    ...finalizers.flatMap((finalizer) =>
      qualifiedNameErrors(finalizer).map((error) => invalid("metadata.finalizers", finalizer, error)),
    ),
  ];
}

const STANDARD_FINALIZERS = ["kubernetes", "orphan", "foregroundDeletion"];

/** What the older built-in kinds ask of their finalizers beside what all do: a domain. */
export function finalizerCauses({ group, kind }: { group: string; kind: string }, { metadata }: KubeObject): Cause[] {
  if (!["", "apps", "batch"].includes(group) || kind === "Event") return [];
  const why = "name is neither a standard finalizer name nor is it fully qualified";
  return (metadata.finalizers ?? []).flatMap((finalizer, index) =>
    finalizer.includes("/") || STANDARD_FINALIZERS.includes(finalizer)
      ? []
      : [invalid(`metadata.finalizers[${index}]`, finalizer, why)],
  );
}

const EMPTY = "must not be empty";

function ownerCauses(owners: NonNullable<ObjectMeta["ownerReferences"]>): Cause[] {
  const missing = owners.flatMap((owner) =>
    (["apiVersion", "kind", "name", "uid"] as const)
      .filter((field) => !owner[field])
      .map((field) =>
        invalid(`metadata.ownerReferences.${field}`, "", field === "apiVersion" ? `version ${EMPTY}` : EMPTY),
      ),
  );
  const banned = owners
    .filter(({ apiVersion, kind }) => apiVersion === "v1" && kind === "Event")
    .map((owner) => invalid("metadata.ownerReferences", owner, "/v1, Kind=Event is disallowed from being an owner"));
  const controllers = owners.filter(({ controller }) => controller);
  if (controllers.length < 2) return [...missing, ...banned];
  const names = controllers.map(({ kind, name }) => `${kind}/${name}`).join(", ");
  const why = `Only one reference can have Controller set to true. Found "true" in references for ${names}`;
  return [...missing, ...banned, invalid("metadata.ownerReferences", owners, why)];
}

function newFinalizers(metadata: ObjectMeta, old: ObjectMeta): Cause[] {
  if (!old.deletionTimestamp || sameJson(metadata.finalizers, old.finalizers)) return [];
  const added = (metadata.finalizers ?? []).filter((finalizer) => !old.finalizers?.includes(finalizer));
  if (added.length === 0) return [];
  const shown = `[]string{${added.map((finalizer) => JSON.stringify(finalizer)).join(", ")}}`;
  const why = `no new finalizers can be added if the object is being deleted, found new finalizers ${shown}`;
  return [forbidden("metadata.finalizers", why)];
}
