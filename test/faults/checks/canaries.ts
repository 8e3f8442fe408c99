import { canariesIn, holdsSecrets } from "@etcd-operator/testing/scenario/leaks/canaries.ts";
import type { Secret } from "kubernetes-types/core/v1.d.ts";
import { type ObjectEvent, objectOf } from "../world/stored-objects.ts";

/** Something that people and programs can read. */
export interface Place {
  readonly name: string;
  readonly text: Uint8Array | string;
}

/** What must be seen nowhere else, and the Secret that it is in. */
export type Canaries = ReadonlyMap<string, string>;

/** Everything that was ever to be seen of objects, except in Secrets; and what else was reported. */
export function canariesSeen(events: readonly ObjectEvent[], others: readonly Place[]): readonly string[] {
  const secrets = events.filter(({ plural }) => plural === "secrets");
  const canaries = new Map(secrets.flatMap((event) => [...canariesOf(objectOf(event) as Secret, event.name)]));
  const objects = events
    .filter(({ plural, kind }) => plural !== "secrets" && kind !== "deleted")
    .map(({ plural, name, value }) => ({ name: `${plural}/${name}`, text: value }));
  return canariesFound(canaries, [...objects, ...others]);
}

/** Throws where a Secret holds confidential values, and none of them is long enough to be searched for. */
export function canariesOf(secret: Secret, name: string): Canaries {
  const canaries = canariesIn(secret);
  if (canaries.length === 0 && holdsSecrets(secret)) throw new Error(`nothing in Secret ${name} can be looked for`);
  return new Map(canaries.map((canary) => [canary, name]));
}

/** Where they are, each place and Secret once. */
export function canariesFound(canaries: Canaries, places: readonly Place[]): readonly string[] {
  if (canaries.size === 0) return [];
  return [...new Set(places.flatMap((place) => foundIn(place, canaries)))];
}

function foundIn({ name, text }: Place, canaries: Canaries): readonly string[] {
  const bytes = Buffer.from(text as Uint8Array);
  return [...canaries]
    .filter(([canary]) => bytes.includes(canary))
    .map(([, secret]) => `a value of Secret ${secret} is in ${name}`);
}
