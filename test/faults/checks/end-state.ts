import type { ObjectEvent, StoredObjects } from "../world/stored-objects.ts";

interface Objects extends Pick<StoredObjects, "named" | "plurals"> {
  readonly events: readonly Pick<ObjectEvent, "kind" | "plural" | "name" | "revision">[];
}

/** What is no part of an outcome: which member is elected, and what was reported on the way. */
const NO_OUTCOME = new Set(["leases", "events"]);

/**
 * What a run left behind, a line for each value, the same for every run that ended in the same way: names that chance
 * has made are numbered in the order of their creation, and what differs from one run to the next is masked.
 */
export function endState(objects: Objects): readonly string[] {
  const mask = masking(objects);
  return (
    objects.plurals
      .filter((plural) => !NO_OUTCOME.has(plural))
      .flatMap((plural) =>
        objects
          .named(plural)
          .flatMap((object) => valuesIn(`${plural}/${object.metadata.name}`, outcomeOf(plural, object)))
          .map(mask)
          .map(inOrder),
      )
      // Written now and then, while clients write: there at the end of one run and not of another.
      .filter((line) => !line.includes("/log-reached = "))
      .sort()
  );
}

const RECORD = /(\/cluster-record = "\{)\\"term\\":\d+,\\"index\\":\d+,(.*\\"voters\\":\{)(.*)(\}\}")$/;

/** Names in a message, after masking. */
const NAMES = /[a-z0-9-]+-#\d+(?:, [a-z0-9-]+-#\d+)+/g;

/**
 * Voters are written in the order of their ids, which are of chance, like where the log was at that time; and names, in
 * a message, in that of names.
 */
function inOrder(line: string): string {
  const ordered = line.replace(RECORD, (_, before, more, voters, after) => {
    return `${before}${more}${voters.split(",").sort().join()}${after}`;
  });
  return ordered.replace(NAMES, (names) => names.split(", ").sort().join(", "));
}

/** How often objects of each name came and went after a revision. */
export function comingsAndGoings(objects: Objects, after: bigint): readonly string[] {
  const counts = new Map<string, number>();
  for (const { kind, plural, name, revision } of objects.events) {
    if (revision <= after || kind === "changed" || NO_OUTCOME.has(plural)) continue;
    const what = `${plural}/${maskPassing(name).replace(CHANCE, "-*")} ${kind}`;
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
  const left = new Map<string, number>();
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count <= 0;
  });
}

/** A kubelet's words about a pod are its own, and so are a server's about the writer. */
function outcomeOf(plural: string, object: { metadata: object; status?: unknown }): object {
  const { managedFields, resourceVersion, uid, generation, creationTimestamp, ...metadata } = object.metadata as Record<
    string,
    unknown
  >;
  const { status, ...rest } = object;
  return { ...rest, metadata, ...(plural !== "pods" && { status }) };
}

/** Entries of a list that are known by a name or a type may stand in any order, and so may names in a status. */
export function valuesIn(path: string, value: unknown): string[] {
  const isStatus = path.includes(".status.");
  if (Array.isArray(value)) {
    return value.flatMap((each, at) => valuesIn(`${path}[${each?.name ?? each?.type ?? (isStatus ? "" : at)}]`, each));
  }
  if (typeof value !== "object" || value === null) return [`${path} = ${JSON.stringify(value)}`];
  return Object.entries(value).flatMap(([key, each]) => valuesIn(`${path}.${key}`, each));
}

const CHANCE = /-[a-z0-9]{10}(?![a-z0-9])/g;

const PASSING: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "<uid>"],
  [
    /(\.(?:resourceVersion|uid|observedGeneration|\w*[rR]evision|raftTerm|raftIndex|dbSize\w*|\w*[sS]izeBytes|databaseSize|sha256|hash)) = .*/g,
    "$1 = …",
  ],
  [/_v\d+_/g, "_v…_"],
  [/\b(revision) \d+/g, "$1 …"],
  [/_safety_[0-9a-f]{8}_/g, "_safety_<uid>_"],
  [/\d{4}-\d\d-\d\d[T-]\d\d:\d\d:\d\d(\.\d+)?Z?/g, "<time>"],
  [/\b\d+\.\d+\.\d+\.\d+\b/g, "<ip>"],
  [/\b[0-9a-f]{12,16}\b/g, "<id>"],
  // One of them leads; which one is left to chance.
  [/(\.memberStatus\[)[^\]]*(\]\.role = )/g, "$1…$2"],
  [/(\.status\.leader = ).*/g, "$1…"],
];

/** Numbers follow the order in which pods and claims were created, not that in which they are mentioned. */
function masking(objects: Objects): (text: string) => string {
  const numbers = new Map<string, number>();
  const numbered = (chance: string) => {
    const number = numbers.get(chance) ?? numbers.size + 1;
    numbers.set(chance, number);
    return `-#${number}`;
  };
  for (const { metadata } of [...objects.named("pods"), ...objects.named("persistentvolumeclaims")]) {
    metadata.name.replace(CHANCE, numbered);
  }
  return (text) => maskPassing(text).replace(CHANCE, numbered);
}

/** Without what is another in every run: times, addresses, ids. */
export function maskPassing(text: string): string {
  return PASSING.reduce((masked, [what, by]) => masked.replace(what, by), text);
}
