import { setTimeout as pause } from "node:timers/promises";
import type { Random } from "../../model/random.ts";
import { until } from "../kube/until.ts";
import { loadKinds, namespaces } from "./load-kinds.ts";
import { LoadWatch, loadSelections, revisionIn } from "./load-watches.ts";
import { type LoadRequest, LoadWorld } from "./load-world.ts";
import { type Access, RawConnection } from "./raw-connection.ts";

export interface LoadGiven {
  readonly access: Access;
  readonly random: Random;
  readonly writesPerSecond: number;
  readonly seconds: number;
  /** Told when a quarter of the writes is acknowledged. */
  onQuarter?(): void;
}

export interface LoadReport {
  readonly writes: number;
  readonly watches: number;
  readonly events: number;
  /** From the first write to the last acknowledgement. */
  readonly seconds: number;
  /** The most writes that were due and had to wait for a connection. */
  readonly mostWaiting: number;
  /** What the client itself took of a processor. */
  readonly clientCpuSeconds: number;
  /** Per object and watch: lost, reordered, repeated, invented. */
  readonly problems: readonly string[];
}

const CONNECTIONS = 32;
const TICK_MS = 5;

/** Writes at a steady rate while 200 watches follow, then compares what each of them told with what was acknowledged. */
export async function runLoad({ access, random, writesPerSecond, seconds, onQuarter }: LoadGiven): Promise<LoadReport> {
  const world = new LoadWorld(random);
  const setUp = await RawConnection.open(access);
  const revision = await prepared(setUp);
  const watches: LoadWatch[] = [];
  for (const selection of loadSelections()) watches.push(await LoadWatch.open(access, selection, revision));
  const connections: RawConnection[] = [];
  for (let count = 0; count < CONNECTIONS; count += 1) connections.push(await RawConnection.open(access));
  try {
    const cpu = process.cpuUsage();
    const sent = await send(world, [...connections], writesPerSecond, seconds, onQuarter);
    const used = process.cpuUsage(cpu);
    const isComplete = () => watches.every((watch) => watch.failure || watch.missing(world.objects) <= 0);
    await until(isComplete, { what: "the last events", timeoutMs: 30_000, everyMs: 500 }).catch(() => undefined);
    return {
      ...sent,
      watches: watches.length,
      events: watches.reduce((sum, { events }) => sum + events, 0),
      clientCpuSeconds: (used.user + used.system) / 1e6,
      problems: [
        ...watches.flatMap((watch) => (watch.failure ? [watch.failure] : watch.problems(world.objects))),
        ...(await differences(setUp, world)),
      ],
    };
  } finally {
    for (const each of [setUp, ...connections, ...watches]) each.close();
  }
}

async function prepared(connection: RawConnection): Promise<string> {
  for (const name of namespaces) {
    await accepted(connection, "POST", "/api/v1/namespaces", { metadata: { name } });
    // Admission gives it to every pod, and there is no controller that would make it.
    await accepted(connection, "POST", `/api/v1/namespaces/${name}/serviceaccounts`, { metadata: { name: "default" } });
  }
  const { body } = await connection.request("GET", "/api/v1/namespaces?limit=1");
  return String(revisionIn(body));
}

async function accepted(connection: RawConnection, method: string, path: string, object: object): Promise<void> {
  const { code, body } = await connection.request(method, path, JSON.stringify(object));
  // Those of an earlier load are as good.
  if (code !== 409 && code >= 300) throw new Error(`${method} ${path}: ${code} ${body}`);
}

async function send(
  world: LoadWorld,
  idle: RawConnection[],
  writesPerSecond: number,
  seconds: number,
  onQuarter: LoadGiven["onQuarter"],
) {
  const started = performance.now();
  const underWay = new Set<Promise<void>>();
  const all = Math.floor(seconds * writesPerSecond);
  let [writes, acknowledged, mostWaiting] = [0, 0, 0];
  let failure: unknown;
  for (;;) {
    const elapsed = Math.min((performance.now() - started) / 1000, seconds);
    const due = Math.floor(elapsed * writesPerSecond) - writes;
    for (let left = due; left > 0; left -= 1) {
      const connection = idle.pop();
      if (!connection) break;
      writes += 1;
      const done = write(connection, world.next())
        .catch((error: unknown) => {
          failure ??= error;
        })
        .finally(() => {
          acknowledged += 1;
          if (acknowledged === Math.floor(all / 4)) onQuarter?.();
          idle.push(connection);
          underWay.delete(done);
        });
      underWay.add(done);
    }
    mostWaiting = Math.max(mostWaiting, Math.floor(elapsed * writesPerSecond) - writes);
    if (failure !== undefined) throw failure;
    if (writes >= all) break;
    await pause(TICK_MS);
  }
  await Promise.all(underWay);
  if (failure !== undefined) throw failure;
  return { writes, mostWaiting, seconds: (performance.now() - started) / 1000 };
}

async function write(connection: RawConnection, { object, method, path, body, type, app }: LoadRequest): Promise<void> {
  const answer = await connection.request(method, path, body, type);
  if (answer.code >= 300) throw new Error(`${method} ${path}: ${answer.code} ${answer.body}`);
  if (app === undefined && object.kind.isMarkedFirst)
    object.writes.push({ app: object.last?.app, revision: undefined });
  object.writes.push({ app, revision: app === undefined ? undefined : revisionIn(answer.body) });
  object.isBusy = false;
}

/** Where the store is not what the acknowledged writes have led to. */
async function differences(connection: RawConnection, world: LoadWorld): Promise<string[]> {
  const found: string[] = [];
  for (const kind of loadKinds) {
    const { body } = await connection.request("GET", `${kind.root}/${kind.plural}`);
    const { items } = JSON.parse(body.toString("utf8")) as {
      items: { metadata: { namespace: string; name: string; resourceVersion: string } }[];
    };
    const stored = new Map(
      items.map(({ metadata: { namespace, name, resourceVersion } }) => [`${namespace}/${name}`, resourceVersion]),
    );
    for (const { namespace, name, kind: its, last } of world.objects) {
      if (its !== kind) continue;
      const key = `${namespace}/${name}`;
      const wanted = last?.app === undefined ? undefined : String(last.revision);
      if (stored.get(key) !== wanted) found.push(`${kind.plural} ${key} is at ${stored.get(key)}, not at ${wanted}`);
      stored.delete(key);
    }
    found.push(...[...stored.keys()].map((key) => `${kind.plural} ${key} is there, and nobody wrote it`));
  }
  return found;
}
