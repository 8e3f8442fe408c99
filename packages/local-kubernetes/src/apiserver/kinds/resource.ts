import type { Cause } from "../crd/cause.ts";
import type { JsonObject, KubeObject } from "../kube-object.ts";
import type { NameRule } from "../meta/names.ts";
import type { Entry } from "../storage/entry.ts";
import type { Column } from "../table/column.ts";
import type { Admission } from "./admission.ts";
import type { Decoded } from "./decode.ts";

/**
 * One resource in one version, built-in or custom: everything that the handlers, which are the same for all, must know.
 */
export interface Resource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly Subresource[];
  readonly isCustom: boolean;
  /** Where its objects lie; all versions of a resource share it. */
  readonly prefix: string;
  readonly nameRule: NameRule;
  /** Whether a write to the object leaves the status alone, and one to /status everything else. */
  readonly hasStatus: boolean;
  readonly scale?: ScalePaths;
  readonly tracksGeneration: boolean;
  /** Whether an update has to say which version it replaces. */
  readonly needsVersion: boolean;
  /** Whether an update of an object that is not there makes it. */
  readonly createsOnUpdate?: boolean;
  /** What DELETE answers with once nothing is left: the object, or a Status. */
  readonly isReturnedWhenDeleted: boolean;
  /** Beside metadata.name and metadata.namespace. */
  readonly selectableFields: Readonly<Record<string, (object: KubeObject) => string>>;
  readonly columns: readonly Column[];
  /** What clients are told with every answer. */
  readonly deprecation?: string;
  readonly codec: Codec;
  readonly rules: KindRules;
}

export interface Subresource {
  readonly name: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  /** Where its kind is of another group than the resource. */
  readonly group?: string;
  readonly version?: string;
}

/** Dotted paths into the object. */
export interface ScalePaths {
  readonly specReplicas: string;
  readonly statusReplicas: string;
  readonly selector?: string;
}

/** How objects come in and go out. */
export interface Codec {
  /** Reads a body: leaves out what the kind does not have, and nulls where they are not allowed. */
  decode(body: JsonObject): Decoded;
  /** What is stored. */
  encode(object: KubeObject): Buffer;
  /** What would be read after it was stored; absent: the same. */
  asStored?(object: KubeObject): KubeObject;
  /** The object as it is served; shared, never to be changed. */
  read(entry: Entry, revision?: bigint): KubeObject;
  /** The same as JSON. */
  write(entry: Entry, revision?: bigint): Buffer;
  /** As one item of a list, in pieces. */
  writeItem(entry: Entry): readonly Buffer[];
  /** How a strategic merge patch finds its way; absent where there is none. */
  readonly typeName?: string;
}

/**
 * What is special about one kind; every part may be missing. Objects that are passed in may be changed where it says
 * so.
 */
export interface KindRules {
  /** Whether a create request may also set the object's status. */
  readonly keepsCreatedStatus?: boolean;
  /** Fills in what is missing, changing the object. */
  applyDefaults?(object: KubeObject): void;
  /** Before a create, changing the object; status is gone already where it is a subresource. */
  prepareCreate?(object: KubeObject): void;
  /** Before an update, changing the object. */
  prepareUpdate?(object: KubeObject, old: KubeObject): void;
  /** Looks at other objects, and may change this one or refuse it. */
  admit?(object: KubeObject, admission: Admission, old?: KubeObject): Promise<void>;
  /** What a client should know about an object that is taken. */
  warnings?(object: KubeObject, old?: KubeObject): readonly string[];
  validate?(object: KubeObject, old?: KubeObject, subresource?: string, before?: readonly Cause[]): Cause[];
  /** Looks at other objects when an update is valid in itself, and may refuse it. */
  permitUpdate?(object: KubeObject, old: KubeObject, admission: Admission): Promise<void>;
  /** Reserves addresses and ports for the object, changing it. */
  allocate?(object: KubeObject, admission: Admission, old?: KubeObject): void;
  /** Keys that this object alone may hold. */
  claims?(object: KubeObject): readonly string[];
  /** Why one of them could not be had. */
  claimRefused?(object: KubeObject, key: string): Cause;
  /** Seconds that a deletion leaves the object; undefined: it goes at once. */
  gracePeriodSeconds?(object: KubeObject, asked: number | undefined): number;
  /** Before an object is marked for deletion, changing it. */
  prepareDelete?(object: KubeObject): void;
  /** A finalizer that a deletion puts on the object, because something has to be done first. */
  readonly finalizerOnDelete?: string;
  /** Why it may not be deleted. */
  refuseDelete?(object: KubeObject): string | undefined;
  /** What keeps an object that is being deleted, apart from its finalizers. */
  isHeld?(object: KubeObject): boolean;
}
