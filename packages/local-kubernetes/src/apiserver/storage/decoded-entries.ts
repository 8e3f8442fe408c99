import type { Resource } from "../kinds/resource.ts";
import type { KubeObject } from "../kube-object.ts";
import type { Entry } from "./entry.ts";

const KEPT = 64;

/** Objects that were read a moment ago, shared between readers. They must not be changed. */
export class DecodedEntries {
  readonly #objects = new Map<Entry, { readonly resource: Resource; readonly object: KubeObject }>();

  read(resource: Resource, entry: Entry): KubeObject {
    const known = this.#objects.get(entry);
    if (known?.resource === resource) return known.object;
    const object = resource.codec.read(entry);
    this.#objects.set(entry, { resource, object });
    if (this.#objects.size > KEPT) for (const oldest of this.#objects.keys()) return this.#forget(oldest, object);
    return object;
  }

  #forget(oldest: Entry, object: KubeObject): KubeObject {
    this.#objects.delete(oldest);
    return object;
  }
}
