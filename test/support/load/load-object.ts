import type { LoadKind } from "./load-kinds.ts";

export type EventType = "ADDED" | "MODIFIED" | "DELETED";

/** One acknowledged write, or one of the two that a deletion may consist of. */
interface LoadWrite {
  /** The label after it; undefined: the object was deleted. */
  readonly app: string | undefined;
  /** Of a deletion it is not looked at. */
  readonly revision: number | undefined;
}

/** An object as its only writer knows it. */
export class LoadObject {
  readonly kind: LoadKind;
  readonly namespace: string;
  readonly name: string;
  readonly writes: LoadWrite[] = [];
  isBusy = false;

  constructor(kind: LoadKind, namespace: string, name: string) {
    this.kind = kind;
    this.namespace = namespace;
    this.name = name;
  }

  get last(): LoadWrite | undefined {
    return this.writes.at(-1);
  }

  get exists(): boolean {
    return this.last?.app !== undefined;
  }
}

/** What one watch is about. */
export interface LoadSelection {
  readonly kind: LoadKind;
  readonly namespace?: string;
  readonly app?: string;
  readonly name?: string;
}

export interface SeenEvent {
  readonly type: EventType;
  readonly revision: number;
}

/** What a watch has to tell of an object, in order; a revision that nobody was told is undefined. */
export function expectedEvents(selection: LoadSelection, { namespace, name, kind, writes }: LoadObject) {
  const isMeant =
    selection.kind === kind &&
    [undefined, namespace].includes(selection.namespace) &&
    [undefined, name].includes(selection.name);
  if (!isMeant) return [];
  const events: { type: EventType; revision: number | undefined }[] = [];
  let was = false;
  for (const { app, revision } of writes) {
    const is = app !== undefined && [undefined, app].includes(selection.app);
    if (is) events.push({ type: was ? "MODIFIED" : "ADDED", revision });
    else if (was) events.push({ type: "DELETED", revision });
    was = is;
  }
  return events;
}

/** What is wrong with what a watch told of an object; undefined: nothing. */
export function problemOf(expected: ReturnType<typeof expectedEvents>, seen: readonly SeenEvent[]): string | undefined {
  let last = 0;
  for (const [index, { type, revision }] of expected.entries()) {
    const event = seen[index];
    if (!event) return `event ${index} of ${expected.length} was lost: ${type} at ${revision ?? "its deletion"}`;
    if (event.type !== type || (revision !== undefined && event.revision !== revision))
      return `event ${index} is ${event.type} at ${event.revision}, not ${type} at ${revision ?? "its deletion"}`;
    if (event.revision <= last) return `event ${index} is of ${event.revision}, after one of ${last}`;
    last = event.revision;
  }
  return seen.length > expected.length ? `${seen.length - expected.length} events too many` : undefined;
}
