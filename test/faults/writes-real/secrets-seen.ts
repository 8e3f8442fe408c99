import type { Stored } from "@etcd-operator/kubernetes-client";
import type { Secret } from "kubernetes-types/core/v1.d.ts";
import { canariesFound, canariesOf, type Place } from "../checks/canaries.ts";

/**
 * Searches for the contents of the Secrets of a namespace in every version of its other objects, as they come, and in
 * whatever else is reported.
 */
export class SecretsSeen {
  readonly #canaries = new Map<string, string>();
  readonly #found = new Set<string>();

  add(plural: string, object: Stored): void {
    if (plural === "secrets") {
      const { name } = object.metadata;
      for (const [canary, secret] of canariesOf(object as Secret, name)) this.#canaries.set(canary, secret);
      return;
    }
    if (this.#canaries.size === 0) return;
    const place = { name: `${plural}/${object.metadata.name}`, text: JSON.stringify(object) };
    for (const what of canariesFound(this.#canaries, [place])) this.#found.add(what);
  }

  with(places: readonly Place[]): readonly string[] {
    return [...this.#found, ...canariesFound(this.#canaries, places)];
  }
}
