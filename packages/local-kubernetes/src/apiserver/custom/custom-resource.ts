import { ApiError, badRequest } from "../api-error.ts";
import type { CompiledVersion } from "../crd/compile-crd.ts";
import type { CrdVersion, CustomResourceDefinition } from "../crd/custom-resource-definition.ts";
import { cellFor, printerColumns } from "../crd/table-columns.ts";
import { ALL_VERBS, SCALE_SUBRESOURCE } from "../kinds/builtin.ts";
import { type Decoded, decodeOr } from "../kinds/decode.ts";
import { goKind } from "../kinds/go-types.ts";
import type { Codec, KindRules, Resource, ScalePaths, Subresource } from "../kinds/resource.ts";
import { isObject, type JsonObject, type KubeObject } from "../kube-object.ts";
import { type Entry, prefixOf } from "../storage/entry.ts";
import { apiVersionOf, decodeStored, encodeStored } from "../storage/stored-json.ts";
import { type Column, nameColumn } from "../table/column.ts";

/** A version, and the one that its objects are stored in, which may be the same. */
interface Compiled {
  readonly own: CompiledVersion;
  readonly stored: CompiledVersion;
}

/** One version of a CustomResourceDefinition, made a resource like any other. */
export function customResource(crd: CustomResourceDefinition, version: CrdVersion, compiled: Compiled): Resource {
  const { group, names, scope } = crd.spec;
  const { kind, plural, singular = kind.toLowerCase(), listKind = `${kind}List` } = names;
  const { status, scale } = version.subresources ?? {};
  return {
    group,
    version: version.name,
    kind,
    listKind,
    plural,
    singular,
    namespaced: scope === "Namespaced",
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    verbs: ALL_VERBS,
    subresources: subresources(kind, status !== undefined, scale !== undefined),
    isCustom: true,
    prefix: prefixOf(group, plural),
    nameRule: "subdomain",
    hasStatus: status !== undefined,
    ...(scale && { scale: scalePaths(scale) }),
    tracksGeneration: true,
    needsVersion: true,
    isReturnedWhenDeleted: false,
    selectableFields: {},
    columns: [nameColumn, ...columnsOf(version)],
    ...(version.deprecated && {
      deprecation: version.deprecationWarning ?? `${group}/${version.name} ${kind} is deprecated`,
    }),
    codec: customCodec(crd, version, compiled),
    rules: customRules(crd, compiled.own),
  };
}

function subresources(kind: string, hasStatus: boolean, hasScale: boolean): Subresource[] {
  return [
    ...(hasStatus ? [{ name: "status", kind, verbs: ["get", "patch", "update"] }] : []),
    ...(hasScale ? [SCALE_SUBRESOURCE] : []),
  ];
}

function scalePaths(scale: {
  specReplicasPath: string;
  statusReplicasPath: string;
  labelSelectorPath?: string;
}): ScalePaths {
  const path = (text: string) => text.replace(/^\./, "");
  return {
    specReplicas: path(scale.specReplicasPath),
    statusReplicas: path(scale.statusReplicasPath),
    ...(scale.labelSelectorPath && { selector: path(scale.labelSelectorPath) }),
  };
}

function columnsOf(version: CrdVersion): Column[] {
  return printerColumns(version).map((printer) => ({
    name: printer.name,
    type: printer.type as Column["type"],
    ...(printer.format && { format: printer.format }),
    ...(printer.description && { description: printer.description }),
    ...(printer.priority && { priority: printer.priority }),
    cell: (object, now) => cellFor(printer, object, now),
  }));
}

function customCodec(crd: CustomResourceDefinition, version: CrdVersion, { own, stored }: Compiled): Codec {
  const gvk = { group: crd.spec.group, version: version.name, kind: crd.spec.names.kind };
  const storage = crd.spec.versions.find((each) => each.storage) ?? version;
  const known = new WeakMap<Entry, KubeObject>();
  // Stored objects get the defaults that their CRD has now, not those it had when they were written.
  const decode = (entry: Entry, revision: bigint) =>
    ofVersion(own, stored.applyDefaults(decodeStored(entry, gvk, revision))) as KubeObject;
  // An object in another version has only what both versions know.
  const ofVersion = (wanted: CompiledVersion, object: JsonObject) =>
    own === stored ? object : wanted.prune(object).object;
  const read = (entry: Entry, revision = entry.revision): KubeObject => {
    if (revision !== entry.revision) return decode(entry, revision);
    const object = known.get(entry) ?? decode(entry, revision);
    known.set(entry, object);
    return object;
  };
  const write = (entry: Entry, revision?: bigint) => Buffer.from(JSON.stringify(read(entry, revision)), "utf8");
  return {
    decode: (body: JsonObject) => {
      const metadata = decodedMetadata(gvk, body.metadata);
      const { object, unknownFields } = own.prune({ ...body, ...(metadata && { metadata: metadata.object }) });
      const unknown = [...(metadata?.unknownFields ?? []), ...unknownFields];
      return { object: own.applyDefaults(object), unknownFields: unknown };
    },
    encode: (object) =>
      encodeStored({
        ...(ofVersion(stored, object) as KubeObject),
        apiVersion: apiVersionOf({ ...gvk, version: storage.name }),
      }),
    ...(own !== stored && {
      asStored: (object: KubeObject) => ofVersion(own, stored.applyDefaults(ofVersion(stored, object))) as KubeObject,
    }),
    read,
    write,
    writeItem: (entry) => [write(entry)],
  };
}

/** Metadata has the same type everywhere, and is read in the order of its keys. */
function decodedMetadata({ kind, version }: { kind: string; version: string }, metadata: unknown): Decoded | undefined {
  if (metadata === undefined || metadata === null) return undefined;
  const refusal = (why: string) => badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${why}`);
  if (!isObject(metadata)) {
    throw refusal(`json: cannot unmarshal ${goKind(metadata)} into Go value of type v1.ObjectMeta`);
  }
  const sorted = Object.fromEntries(Object.entries(metadata).sort(([one], [other]) => (one < other ? -1 : 1)));
  const { object, unknownFields } = decodeOr("ObjectMeta", sorted, refusal);
  return { object, unknownFields: unknownFields.map((field) => field.replace(/"(.*)"/, '"metadata.$1"')) };
}

function customRules(crd: CustomResourceDefinition, compiled: CompiledVersion): KindRules {
  return {
    async admit(_object, _admission, old) {
      if (old || !crd.metadata.deletionTimestamp) return;
      const message = "create not allowed while custom resource definition is terminating";
      throw new ApiError(405, "MethodNotAllowed", message, {});
    },
    validate: (object, old, subresource, before = []) =>
      compiled.validate(object, old, { before, ...(subresource === "status" && { subresource }) }),
  };
}
