import { apps, loadKinds, namespaces } from "./load-kinds.ts";
import {
  type EventType,
  expectedEvents,
  type LoadObject,
  type LoadSelection,
  problemOf,
  type SeenEvent,
} from "./load-object.ts";
import type { Access } from "./raw-connection.ts";
import { RawWatch } from "./raw-watch.ts";

/** Two hundred of them, as a cluster has them: few about everything, most about a namespace, a label or one object. */
export function loadSelections(): LoadSelection[] {
  const of = (plural: string) => {
    const kind = loadKinds.find((each) => each.plural === plural);
    if (!kind) throw new Error(`there is no kind ${plural} in the load`);
    return kind;
  };
  const [pods, configMaps, leases, clusters] = ["pods", "configmaps", "leases", "etcdclusters"].map(of);
  if (!pods || !configMaps || !leases || !clusters) throw new Error("unreachable");
  const times = (count: number, make: (index: number) => LoadSelection) =>
    Array.from({ length: count }, (_, at) => make(at));
  const namespace = (index: number) => namespaces[index % namespaces.length] ?? "";
  const app = (index: number) => apps[index % apps.length] ?? "";
  return [
    ...times(4, () => ({ kind: pods })),
    ...times(40, (at) => ({ kind: pods, namespace: namespace(at) })),
    ...times(20, (at) => ({ kind: pods, app: app(at) })),
    ...times(20, (at) => ({ kind: pods, namespace: namespace(at), app: app(at) })),
    ...times(2, () => ({ kind: configMaps })),
    ...times(40, (at) => ({ kind: configMaps, namespace: namespace(at) })),
    ...times(30, (at) => ({ kind: configMaps, namespace: namespace(at), name: `object-${at}` })),
    ...times(2, () => ({ kind: leases })),
    ...times(10, (at) => ({ kind: leases, namespace: namespace(at) })),
    ...times(4, () => ({ kind: clusters })),
    ...times(20, (at) => ({ kind: clusters, namespace: namespace(at) })),
    ...times(8, (at) => ({ kind: clusters, app: app(at) })),
  ];
}

/** One watch of the load, which remembers what it was told. */
export class LoadWatch {
  readonly selection: LoadSelection;
  readonly #seen = new Map<string, SeenEvent[]>();
  #watch: RawWatch | undefined;
  events = 0;

  private constructor(selection: LoadSelection) {
    this.selection = selection;
  }

  static async open(access: Access, selection: LoadSelection, revision: string): Promise<LoadWatch> {
    const opened = new LoadWatch(selection);
    opened.#watch = await RawWatch.open(access, pathOf(selection, revision), (line) => opened.#take(line));
    return opened;
  }

  get failure(): string | undefined {
    return this.#watch?.failure;
  }

  /** How many events of these objects are still to come. */
  missing(objects: readonly LoadObject[]): number {
    return objects.reduce((sum, object) => sum + expectedEvents(this.selection, object).length, 0) - this.events;
  }

  problems(objects: readonly LoadObject[]): string[] {
    const unknown = new Set(this.#seen.keys());
    const found: string[] = [];
    for (const object of objects) {
      if (object.kind !== this.selection.kind) continue;
      unknown.delete(object.name);
      const problem = problemOf(expectedEvents(this.selection, object), this.#seen.get(object.name) ?? []);
      if (problem) found.push(`${describe(this.selection)}: ${object.namespace}/${object.name}: ${problem}`);
    }
    return [...found, ...[...unknown].map((name) => `${describe(this.selection)}: tells of ${name}`)];
  }

  close(): void {
    this.#watch?.close();
  }

  // Not parsed: there are many, and each has its revision and its name in front.
  #take(line: Buffer): void {
    const type = TYPES[String.fromCharCode(line[9] ?? 0)];
    if (!type) throw new Error(`a watch says ${line.toString("utf8", 0, 300)}`);
    const name = textAfter(line, '"name":"');
    const seen = this.#seen.get(name) ?? [];
    if (seen.length === 0) this.#seen.set(name, seen);
    seen.push({ type, revision: Number(textAfter(line, REVISION)) });
    this.events += 1;
  }
}

const TYPES: Readonly<Record<string, EventType>> = { A: "ADDED", M: "MODIFIED", D: "DELETED" };
const REVISION = '"resourceVersion":"';

/** The resourceVersion of an object in JSON. */
export function revisionIn(body: Buffer): number {
  return Number(textAfter(body, REVISION));
}

function textAfter(line: Buffer, label: string): string {
  const start = line.indexOf(label) + label.length;
  return line.toString("latin1", start, line.indexOf('"', start));
}

function pathOf({ kind, namespace, app, name }: LoadSelection, revision: string): string {
  const within = namespace ? `/namespaces/${namespace}` : "";
  const labels = app ? `&labelSelector=app%3D${app}` : "";
  const fields = name ? `&fieldSelector=metadata.name%3D${name}` : "";
  return `${kind.root}${within}/${kind.plural}?watch=1&resourceVersion=${revision}${labels}${fields}`;
}

function describe({ kind, namespace = "*", app = "*", name = "*" }: LoadSelection): string {
  return `watch of ${kind.plural} in ${namespace}, app ${app}, name ${name}`;
}
