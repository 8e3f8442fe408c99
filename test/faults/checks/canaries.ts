import type { Secret } from "kubernetes-types/core/v1.d.ts";
import { canariesIn } from "../../support/scenario/canaries.ts";
import { type ObjectEvent, objectOf } from "../world/stored-objects.ts";

/** Something that people and programs can read. */
export interface Place {
  readonly name: string;
  readonly text: Uint8Array | string;
}

/** Everything that was ever to be seen of objects, except in Secrets; and what else was told. */
export function canariesSeen(events: readonly ObjectEvent[], others: readonly Place[]): readonly string[] {
  const canaries = new Map<string, string>();
  for (const event of events) {
    if (event.plural !== "secrets") continue;
    for (const canary of canariesIn(objectOf(event) as Secret)) canaries.set(canary, event.name);
  }
  if (canaries.size === 0) return [];
  const objects = events
    .filter(({ plural, kind }) => plural !== "secrets" && kind !== "deleted")
    .map(({ plural, name, value }) => ({ name: `${plural}/${name}`, text: value }));
  return [...new Set([...objects, ...others].flatMap((place) => foundIn(place, canaries)))];
}

function foundIn({ name, text }: Place, canaries: ReadonlyMap<string, string>): readonly string[] {
  const bytes = Buffer.from(text as Uint8Array);
  return [...canaries]
    .filter(([canary]) => bytes.includes(canary))
    .map(([, secret]) => `a value of Secret ${secret} is in ${name}`);
}
