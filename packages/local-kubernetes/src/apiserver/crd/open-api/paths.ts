import type { CrdVersion, CustomResourceDefinition } from "../custom-resource-definition.ts";
import type { JsonObject } from "../schema.ts";
import { gvk, schemaName } from "./kind-schemas.ts";
import { META, reference, SCALE } from "./meta-schemas.ts";

/** The paths of a kind and what can be done at them. */
export function pathsOf(crd: CustomResourceDefinition, version: CrdVersion): Record<string, JsonObject> {
  const { group, names, scope } = crd.spec;
  const root = `/apis/${group}/${version.name}`;
  const isNamespaced = scope === "Namespaced";
  const collection = isNamespaced ? `${root}/namespaces/{namespace}/${names.plural}` : `${root}/${names.plural}`;
  const about = aboutKind(crd, version, isNamespaced);
  const place = isNamespaced ? [pathParameter("namespace", "namespace of the object")] : [];
  const named = [pathParameter("name", `name of the ${names.kind}`), ...place, PRETTY];
  const item = `${collection}/{name}`;
  const { status, scale } = version.subresources ?? {};
  const scaleBody = { ...about, body: `${SCALE}.Scale`, suffix: "Scale" };
  return {
    ...(isNamespaced && { [`${root}/${names.plural}`]: { get: allNamespaces(about), parameters: [...LIST, PRETTY] } }),
    [collection]: { ...collectionOperations(about), parameters: [...place, PRETTY] },
    [item]: { ...itemOperations(about), parameters: named },
    ...(status && { [`${item}/status`]: { ...partOperations({ ...about, suffix: "Status" }), parameters: named } }),
    ...(scale && { [`${item}/scale`]: { ...partOperations(scaleBody), parameters: named } }),
  };
}

interface About {
  readonly kind: string;
  readonly tag: string;
  /** What operation ids are made of, between the verb and the subresource. */
  readonly id: string;
  readonly body: string;
  readonly list: string;
  readonly suffix: string;
  readonly gvk: JsonObject;
}

function aboutKind(crd: CustomResourceDefinition, version: CrdVersion, isNamespaced: boolean): About {
  const { group, names } = crd.spec;
  const words = group.split(".").map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  const versionWord = version.name.charAt(0).toUpperCase() + version.name.slice(1);
  const camel = words.join("");
  return {
    kind: names.kind,
    tag: `${camel.charAt(0).toLowerCase()}${camel.slice(1)}_${version.name}`,
    id: `${camel}${versionWord}${isNamespaced ? "Namespaced" : ""}${names.kind}`,
    body: schemaName(crd, version.name),
    list: schemaName(crd, version.name, names.listKind ?? `${names.kind}List`),
    suffix: "",
    gvk: gvk(crd, version.name, names.kind),
  };
}

function allNamespaces(about: About): JsonObject {
  const id = about.id.replace("Namespaced", "");
  return operation(about, "list", `list${id}ForAllNamespaces`, `list objects of kind ${about.kind}`, {
    responses: responses(about.list, 200),
  });
}

function collectionOperations(about: About): JsonObject {
  const { kind, id, list, body } = about;
  return {
    get: operation(about, "list", `list${id}`, `list objects of kind ${kind}`, {
      parameters: LIST,
      responses: responses(list, 200),
    }),
    post: operation(about, "post", `create${id}`, `create an object of kind ${kind}`, {
      parameters: WRITE,
      requestBody: requestBody(body),
      responses: responses(body, 200, 201, 202),
    }),
    delete: operation(
      about,
      "deletecollection",
      `delete${id.replace("Namespaced", "CollectionNamespaced")}`,
      `delete objects of kind ${kind}`,
      { parameters: LIST, responses: responses(`${META}.Status`, 200) },
    ),
  };
}

function itemOperations(about: About): JsonObject {
  const { get, put, patch } = partOperations(about);
  return {
    get,
    put,
    delete: operation(about, "delete", `delete${about.id}`, `delete an object of kind ${about.kind}`, {
      parameters: DELETE,
      requestBody: { content: content(`${META}.DeleteOptions`) },
      responses: responses(`${META}.Status`, 200, 202),
    }),
    patch,
  };
}

function partOperations(about: About): JsonObject {
  const { kind, id, body, suffix } = about;
  const part =
    suffix === "" ? `the object of kind ${kind}` : `the ${suffix.toLowerCase()} of an object of kind ${kind}`;
  return {
    get: operation(about, "get", `read${id}${suffix}`, `read ${part}`, {
      parameters: [query("resourceVersion", "State that the answer may not be older than.")],
      responses: responses(body, 200),
    }),
    put: operation(about, "put", `replace${id}${suffix}`, `replace ${part}`, {
      parameters: WRITE,
      requestBody: requestBody(body),
      responses: responses(body, 200, 201),
    }),
    patch: operation(about, "patch", `patch${id}${suffix}`, `change parts of ${part}`, {
      parameters: WRITE,
      requestBody: {
        content: Object.fromEntries(PATCHES.map((type) => [type, { schema: reference(`${META}.Patch`) }])),
        required: true,
      },
      responses: responses(body, 200),
    }),
  };
}

const PATCHES = ["application/json-patch+json", "application/merge-patch+json"];
const BODIES = ["application/json", "application/yaml"];

function operation(about: About, action: string, operationId: string, description: string, rest: JsonObject) {
  return {
    tags: [about.tag],
    description,
    operationId,
    ...rest,
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": about.gvk,
  };
}

function content(schema: string): JsonObject {
  return Object.fromEntries(BODIES.map((type) => [type, { schema: reference(schema) }]));
}

function requestBody(schema: string): JsonObject {
  return { content: content(schema), required: true };
}

const REASONS: Readonly<Record<number, string>> = { 200: "OK", 201: "Created", 202: "Accepted" };

function responses(schema: string, ...codes: readonly number[]): JsonObject {
  const ok = codes.map((code) => [String(code), { description: REASONS[code], content: content(schema) }]);
  return { ...Object.fromEntries(ok), "401": { description: "Unauthorized" } };
}

function query(name: string, description: string, type = "string"): JsonObject {
  return { name, in: "query", description, schema: { type, uniqueItems: true } };
}

function pathParameter(name: string, description: string): JsonObject {
  return { name, in: "path", description, required: true, schema: { type: "string", uniqueItems: true } };
}

const PRETTY = query("pretty", "`true` to print the answer for people.");
const DRY_RUN = query("dryRun", "`All` to go through all stages and store nothing.");

const WRITE = [
  DRY_RUN,
  query("fieldManager", "Who makes these changes; not kept."),
  query("fieldValidation", "What to do about unknown and duplicate fields: `Ignore`, `Warn` or `Strict`."),
];

const DELETE = [
  DRY_RUN,
  query("gracePeriodSeconds", "Seconds to end in an orderly way.", "integer"),
  query("orphanDependents", "Deprecated, use propagationPolicy.", "boolean"),
  query("propagationPolicy", "What becomes of what the object owns: `Orphan`, `Background` or `Foreground`."),
];

const LIST = [
  query("allowWatchBookmarks", "Whether a watch may send bookmarks.", "boolean"),
  query("continue", "Where to go on with a list that was cut off."),
  query("fieldSelector", "Select objects by their fields."),
  query("labelSelector", "Select objects by their labels."),
  query("limit", "How many objects to list at once.", "integer"),
  query("resourceVersion", "State that the answer may not be older than, or that a watch begins from."),
  query("resourceVersionMatch", "`NotOlderThan` or `Exact`."),
  query("sendInitialEvents", "Whether a watch begins with what there is.", "boolean"),
  query("timeoutSeconds", "Seconds after which the call ends.", "integer"),
  query("watch", "Watch for changes instead of listing.", "boolean"),
];
