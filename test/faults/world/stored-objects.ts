import type { KeyValue } from "@etcd-operator/etcd-client";
import type { KubeObject, Resource, Stored } from "@etcd-operator/kubernetes-client";
import type { MemoryEtcd } from "./memory-etcd.ts";

/** Something that happened to an object of a namespace. */
export interface ObjectEvent {
  readonly kind: "created" | "changed" | "deleted";
  /** Such as "pods". */
  readonly plural: string;
  readonly name: string;
  readonly revision: bigint;
  /** The object from then on; of one that was deleted, as it was last. */
  readonly value: Uint8Array;
}

/** Of those that lie in no namespace, these belong to what lies in one. */
const WITHOUT_NAMESPACE = new Set(["persistentvolumes"]);

/**
 * The objects of a namespace, and its volumes, as they lie in the store: without delay, and whatever a client's cache
 * says.
 */
export class StoredObjects {
  readonly #etcd: Pick<MemoryEtcd, "events">;
  readonly #namespace: string;
  readonly #objects = new Map<string, { readonly keyValue: KeyValue; readonly plural: string; parsed?: Stored }>();
  readonly #events: ObjectEvent[] = [];
  #seen = 0;

  constructor(etcd: Pick<MemoryEtcd, "events">, namespace: string) {
    this.#etcd = etcd;
    this.#namespace = namespace;
  }

  /** Those of a kind, the oldest first. */
  of<T extends KubeObject>({ plural }: Resource<T>): Stored<T>[] {
    // The caller knows what kind it is.
    return this.named(plural) as Stored<T>[];
  }

  /** Those that are called so, such as "pods". */
  named(plural: string): Stored[] {
    this.#catchUp();
    const found = [...this.#objects.values()].filter((each) => each.plural === plural);
    found.sort((one, other) => Number(one.keyValue.createRevision - other.keyValue.createRevision));
    return found.map((each) => {
      each.parsed ??= parsed(each.keyValue);
      return each.parsed;
    });
  }

  /** All of them, by kind. */
  get plurals(): readonly string[] {
    this.#catchUp();
    return [...new Set([...this.#objects.values()].map(({ plural }) => plural))].sort();
  }

  get events(): readonly ObjectEvent[] {
    this.#catchUp();
    return this.#events;
  }

  #catchUp(): void {
    const { events } = this.#etcd;
    for (; this.#seen < events.length; this.#seen += 1) {
      const event = events[this.#seen];
      const place = event && placeOf(Buffer.from(event.keyValue.key).toString(), this.#namespace);
      if (!event || !place) continue;
      const key = `${place.plural}/${place.name}`;
      if (event.kind === "delete") this.#objects.delete(key);
      else this.#objects.set(key, { keyValue: event.keyValue, plural: place.plural });
      const kind = event.kind === "delete" ? "deleted" : event.previous ? "changed" : "created";
      const { value } = event.kind === "delete" ? (event.previous ?? event.keyValue) : event.keyValue;
      this.#events.push({ kind, ...place, revision: event.keyValue.modRevision, value });
    }
  }
}

/** Keys are `/registry/<group>/<plural>/<namespace>/<name>`, the group only where there is one. */
function placeOf(key: string, namespace: string): { plural: string; name: string } | undefined {
  const [name, inNamespace, plural] = key.split("/").reverse();
  if (name && inNamespace && WITHOUT_NAMESPACE.has(inNamespace)) return { plural: inNamespace, name };
  return name && plural && inNamespace === namespace ? { plural, name } : undefined;
}

/** The object that an event was about. */
export function objectOf({ value }: Pick<ObjectEvent, "value">): Stored {
  return JSON.parse(Buffer.from(value).toString()) as Stored;
}

function parsed({ value, modRevision }: KeyValue): Stored {
  const object = objectOf({ value });
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(modRevision) } };
}
