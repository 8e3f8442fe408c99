import type { StoredObjects } from "../world/stored-objects.ts";

/** What is no part of an outcome: who is elected, and what was told on the way. */
const NO_OUTCOME = new Set(["leases", "events"]);

/**
 * What a run left behind, as text that is the same for every run that ended in the same way: names that chance has made are numbered
 * in the order of their first appearance, and what differs from one run to the next is masked.
 */
export function endState(objects: StoredObjects): readonly string[] {
  const mask = masking();
  return objects.plurals
    .filter((plural) => !NO_OUTCOME.has(plural))
    .flatMap((plural) =>
      objects.named(plural).map((object) => mask(`${plural} ${JSON.stringify(outcomeOf(plural, object))}`)),
    )
    .sort();
}

/** How often objects of each name came and went after a revision. */
export function comingsAndGoings(objects: StoredObjects, after: bigint): readonly string[] {
  const counts = new Map<string, number>();
  for (const { kind, plural, name, revision } of objects.events) {
    if (revision <= after || kind === "changed" || NO_OUTCOME.has(plural)) continue;
    const what = `${plural}/${withoutChance(name)} ${kind}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return [...counts].map(([what, times]) => `${what} ${times} times`).sort();
}

/** What one list has and the other lacks. */
export function differences(expected: readonly string[], found: readonly string[]): readonly string[] {
  return [
    ...without(expected, found).map((line) => `missing: ${line}`),
    ...without(found, expected).map((line) => `unexpected: ${line}`),
  ];
}

function without(lines: readonly string[], others: readonly string[]): readonly string[] {
  const left = [...others];
  return lines.filter((line) => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** A kubelet's words about a pod are its own. */
function outcomeOf(plural: string, object: { metadata: object; status?: unknown }): object {
  const { managedFields, ...metadata } = object.metadata as Record<string, unknown>;
  const { status, ...rest } = object;
  return { ...rest, metadata, ...(plural !== "pods" && { status }) };
}

const CHANCE = /-[a-z0-9]{10}(?![a-z0-9])/g;

function withoutChance(name: string): string {
  return name.replace(CHANCE, "-*");
}

const PASSING: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "<uid>"],
  [/"(resourceVersion|uid|generation|observedGeneration)":("[^"]*"|\d+)/g, '"$1":0'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "<time>"],
  [/\b\d+\.\d+\.\d+\.\d+\b/g, "<ip>"],
  [/\b[0-9a-f]{8,16}\b/g, "<id>"],
];

function masking(): (text: string) => string {
  const numbers = new Map<string, number>();
  const numbered = (chance: string) => {
    const number = numbers.get(chance) ?? numbers.size + 1;
    numbers.set(chance, number);
    return `-#${number}`;
  };
  return (text) => PASSING.reduce((masked, [what, by]) => masked.replace(what, by), text).replace(CHANCE, numbered);
}
