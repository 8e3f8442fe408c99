import type { JsonObject } from "../schema.ts";

/** Where the schemas that all kinds share are found. */
export const META = "io.k8s.apimachinery.pkg.apis.meta.v1";

export const SCALE = "io.k8s.api.autoscaling.v1";

export function reference(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

const text = (description: string) => ({ description, type: "string" });
const flag = (description: string) => ({ description, type: "boolean" });
const whole = (description: string, format = "int64") => ({ description, type: "integer", format });
const texts = (description: string) => ({ description, type: "array", items: { type: "string" } });
const map = (description: string) => ({ description, type: "object", additionalProperties: { type: "string" } });
const of = (description: string, name: string) => ({ description, allOf: [reference(name)] });
const listOf = (description: string, name: string, more: JsonObject = {}) => ({
  description,
  type: "array",
  items: reference(name),
  ...more,
});
const object = (description: string, properties: JsonObject = {}, more: JsonObject = {}) => ({
  description,
  type: "object",
  ...(Object.keys(properties).length > 0 && { properties }),
  ...more,
});

const apiVersion = text("Version of the schema that this object follows, with its group.");
const kind = text("What kind of object this is.");

/** The schemas that the operations of every kind refer to. */
export const metaSchemas: Readonly<Record<string, JsonObject>> = {
  [`${META}.ObjectMeta`]: object("What every object has beside what its kind adds.", {
    annotations: map("Notes of tools and people that are not for selecting objects."),
    creationTimestamp: of("When the object was created; set by the server.", `${META}.Time`),
    deletionGracePeriodSeconds: whole("Seconds that a deleted object has to end in an orderly way."),
    deletionTimestamp: of("When the object will be gone; set by the server once it is deleted.", `${META}.Time`),
    finalizers: {
      ...texts("Who must act before the object may go."),
      "x-kubernetes-list-type": "set",
      "x-kubernetes-patch-strategy": "merge",
    },
    generateName: text("Beginning of a name that the server completes when there is no name."),
    generation: whole("Counts the changes of what is wanted; set by the server."),
    labels: map("Keys and values by which objects are selected."),
    managedFields: listOf("Which field was last set by whom.", `${META}.ManagedFieldsEntry`, {
      "x-kubernetes-list-type": "atomic",
    }),
    name: text("Name of the object, unique among those of its kind in a namespace; it cannot be changed."),
    namespace: text("Namespace that the object lives in; it cannot be changed."),
    ownerReferences: listOf("Objects that this one goes with when they all go.", `${META}.OwnerReference`, {
      "x-kubernetes-list-map-keys": ["uid"],
      "x-kubernetes-list-type": "map",
      "x-kubernetes-patch-merge-key": "uid",
      "x-kubernetes-patch-strategy": "merge",
    }),
    resourceVersion: text("Marks this state of the object; only to be compared for equality, and sent back as it was."),
    selfLink: text("No longer filled in."),
    uid: text("Identity of the object through time; set by the server."),
  }),
  [`${META}.OwnerReference`]: object(
    "An object that owns this one.",
    {
      apiVersion: text("API version of the owner."),
      blockOwnerDeletion: flag("Whether the owner waits for this object when it is deleted in the foreground."),
      controller: flag("Whether the owner is the one that manages this object."),
      kind: text("Kind of the owner."),
      name: text("Name of the owner."),
      uid: text("Identity of the owner."),
    },
    { required: ["apiVersion", "kind", "name", "uid"], "x-kubernetes-map-type": "atomic" },
  ),
  [`${META}.ManagedFieldsEntry`]: object("The fields that one manager has set.", {
    apiVersion: text("Version in which the fields were set."),
    fieldsType: text("Format of the fields: `FieldsV1`."),
    fieldsV1: of("The fields.", `${META}.FieldsV1`),
    manager: text("Who set them."),
    operation: text("`Apply` or `Update`."),
    subresource: text("Through which subresource, if any."),
    time: of("When that was.", `${META}.Time`),
  }),
  [`${META}.FieldsV1`]: object("A set of fields, as a tree of `f:`, `k:` and `v:` keys."),
  [`${META}.Time`]: { description: "A time as in RFC 3339.", type: "string", format: "date-time" },
  [`${META}.ListMeta`]: object("What every list has.", {
    continue: text("Where to go on when the list was cut off."),
    remainingItemCount: whole("How many objects were cut off, as far as known."),
    resourceVersion: text("Marks the state that the list shows; a watch can begin from it."),
    selfLink: text("No longer filled in."),
  }),
  [`${META}.Patch`]: object("The body of a patch, in the format of its content type."),
  [`${META}.Preconditions`]: object("What must hold for a deletion to be carried out.", {
    resourceVersion: text("The state that the object must be in."),
    uid: text("The identity that it must have."),
  }),
  [`${META}.DeleteOptions`]: object("How to delete.", {
    apiVersion,
    dryRun: texts("`All` to only try."),
    gracePeriodSeconds: whole("Seconds to end in an orderly way; 0 is at once."),
    kind,
    orphanDependents: flag("Deprecated, use propagationPolicy: whether what the object owns stays."),
    preconditions: of("What must hold first.", `${META}.Preconditions`),
    propagationPolicy: text("What becomes of what the object owns: `Orphan`, `Background` or `Foreground`."),
  }),
  [`${META}.Status`]: object(
    "The answer to a request that returns no object.",
    {
      apiVersion,
      code: whole("Code of the HTTP answer.", "int32"),
      details: of("More, for programs.", `${META}.StatusDetails`),
      kind,
      message: text("What happened, for people."),
      metadata: of("Standard metadata of a list.", `${META}.ListMeta`),
      reason: text("What happened, in a word for programs."),
      status: text("`Success` or `Failure`."),
    },
    { "x-kubernetes-group-version-kind": [{ group: "", kind: "Status", version: "v1" }] },
  ),
  [`${META}.StatusDetails`]: object("What a Status speaks of.", {
    causes: listOf("Every single thing that is wrong.", `${META}.StatusCause`, { "x-kubernetes-list-type": "atomic" }),
    group: text("Group of the resource."),
    kind: text("Kind of the resource."),
    name: text("Name of the object."),
    retryAfterSeconds: whole("Seconds to wait before trying again.", "int32"),
    uid: text("Identity of the object."),
  }),
  [`${META}.StatusCause`]: object("One thing that is wrong.", {
    field: text("Path of the field."),
    message: text("What is wrong with it, for people."),
    reason: text("What is wrong with it, in a word for programs."),
  }),
};

/** The schemas of the scale subresource. */
export const scaleSchemas: Readonly<Record<string, JsonObject>> = {
  [`${SCALE}.Scale`]: object(
    "How many replicas an object wants and has.",
    {
      apiVersion,
      kind,
      metadata: of("Standard metadata of an object.", `${META}.ObjectMeta`),
      spec: of("What is wanted.", `${SCALE}.ScaleSpec`),
      status: of("What is.", `${SCALE}.ScaleStatus`),
    },
    { "x-kubernetes-group-version-kind": [{ group: "autoscaling", kind: "Scale", version: "v1" }] },
  ),
  [`${SCALE}.ScaleSpec`]: object("What is wanted.", { replicas: whole("Number of replicas wanted.", "int32") }),
  [`${SCALE}.ScaleStatus`]: object(
    "What is.",
    {
      replicas: whole("Number of replicas that exist.", "int32"),
      selector: text("Selector of the replicas' pods."),
    },
    { required: ["replicas"] },
  ),
};
