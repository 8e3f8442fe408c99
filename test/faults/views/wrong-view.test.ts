import assert from "node:assert/strict";
import type { Change, Stored } from "@etcd-operator/kubernetes-client";
import { Informer, resources } from "@etcd-operator/kubernetes-client";
import type { ConfigMap } from "kubernetes-types/core/v1.d.ts";
import { afterEach, beforeEach, describe, test } from "vitest";
import { type Random, randomOf } from "../../model/random.ts";
import { ADMIN, type ApiWorld, apiWorld, clientOf } from "../world/api-world.ts";
import type { Ask } from "../world/in-process-carrier.ts";
import { preparedStore } from "../world/prepared-store.ts";
import { StoredObjects } from "../world/stored-objects.ts";
import { VirtualTime } from "../world/virtual-time.ts";
import { cacheRequestOf, withQuery } from "./cache-request.ts";
import { EVEN_VIEWS, UNEVEN_VIEWS } from "./every-view.ts";
import { Timeline } from "./timeline.ts";
import {
  behindByRevisions,
  behindByTime,
  coalescedWithin,
  droppedFor,
  held,
  type ViewGiven,
  type ViewKind,
} from "./view-kinds.ts";
import { Arming, wrongView } from "./wrong-view.ts";

let time: VirtualTime;
let api: ApiWorld;
let end: AbortController;
let arming: Arming;

beforeEach(async () => {
  time = new VirtualTime();
  api = await apiWorld(await preparedStore());
  end = new AbortController();
  arming = new Arming();
});

afterEach(async () => {
  end.abort();
  await time.settle();
  await api.close();
  time[Symbol.dispose]();
});

describe("an informer behind a view ends up with what the store has", () => {
  for (const view of [...UNEVEN_VIEWS, ...EVEN_VIEWS]) {
    test(view.name, async () => {
      const informer = following(view);
      await time.pass(100);
      arming.isArmed = true;
      await changeThings(randomOf(7), 60);
      await time.until(() => isEqual(informer), 600_000);
      assert.equal(versionsOf(informer.cache.list()), versionsOf(stored()));
    });
  }
});

test("a view that is behind by revisions shows all but the newest", async () => {
  const informer = following(behindByRevisions(2));
  await time.pass(100);
  arming.isArmed = true;
  for (const name of ["a", "b", "c"]) await create(name);
  await time.pass(1_000);
  assert.deepEqual(names(informer), ["a"]);
});

test("a view that is behind in time shows everything that much later", async () => {
  const informer = following(behindByTime(5_000));
  await time.pass(100);
  arming.isArmed = true;
  await create("a");
  await time.pass(4_900);
  assert.deepEqual(names(informer), []);
  await time.pass(200);
  assert.deepEqual(names(informer), ["a"]);
});

test("a view that is held shows nothing new until it is released, not even in a list", async () => {
  const kind = held(20_000);
  const first = following({ ...kind, make: (given) => kind.make({ ...given, random: zero }) });
  await time.pass(100);
  arming.isArmed = true;
  await create("a");
  await time.pass(10_000);
  assert.deepEqual(names(first), []);
  await time.pass(10_100);
  assert.deepEqual(names(first), ["a"]);
});

describe("events are dropped for as long as it was said, and made up for then, though the server ends the watch meanwhile", () => {
  for (const what of ["all", "object"] as const) {
    test(what, async () => {
      const kind = droppedFor({ what, ending: "expires", forMs: 60_000 });
      const fromTheFirst = { ...kind, make: (given: ViewGiven) => kind.make({ ...given, random: zero }) };
      const informer = following(fromTheFirst, endingAfter(20));
      await time.pass(100);
      arming.isArmed = true;
      await create("a");
      await create("b");
      await time.pass(59_000);
      assert.deepEqual(names(informer), what === "all" ? [] : ["b"]);
      await time.until(() => isEqual(informer), 600_000);
      assert.equal(versionsOf(informer.cache.list()), versionsOf(stored()));
    });
  }
});

test("an object that goes and comes back within a window is one that has changed", async () => {
  const informer = following(coalescedWithin(1_000));
  const changes: string[] = [];
  informer.onChange((change) => changes.push(told(change)));
  await create("a");
  await time.pass(100);
  arming.isArmed = true;
  await remove("a");
  await create("a");
  await create("b");
  await remove("b");
  await time.pass(2_000);
  assert.deepEqual(changes, ["synced", "added a", "deleted a", "added a"]);
});

test("reads of one object, and lists of what bears the labels of one cluster, are not wrong", async () => {
  const ask = viewing(behindByRevisions(50))(api.ask);
  arming.isArmed = true;
  const client = clientOf(ask, ADMIN);
  await create("a", { app: "etcd", etcd_cluster: "example" });
  assert.equal((await client.get(resources.configMaps, { namespace: "tests", name: "a" })).metadata.name, "a");
  const selection = { namespace: "tests", labelSelector: "app=etcd,etcd_cluster=example" };
  assert.equal((await client.list(resources.configMaps, selection)).items.length, 1);
  assert.equal((await client.list(resources.configMaps, { namespace: "tests" })).items.length, 0);
});

const zero: Random = { int: () => 0, chance: () => false, pick: ([first]) => first, some: () => [] };

function viewing(kind: ViewKind): (ask: Ask) => Ask {
  const timeline = new Timeline(api.etcd, end.signal);
  const given = { timeline, random: randomOf(1), concerns: () => true, events: 12, crash: () => undefined };
  return wrongView(kind.make(given), arming);
}

/** A server that ends every watch that soon. */
function endingAfter(seconds: number): Ask {
  return async (asked) => {
    const request = cacheRequestOf(asked);
    if (request?.verb !== "watch") return api.ask(asked);
    request.query.set("timeoutSeconds", String(seconds));
    return api.ask(withQuery(asked, request.query));
  };
}

function following(kind: ViewKind, ask: Ask = api.ask): Informer<ConfigMap> {
  const client = clientOf(viewing(kind)(ask), ADMIN);
  const informer = new Informer<ConfigMap>({ client, resource: resources.configMaps, namespace: "tests" });
  void informer.run(end.signal);
  return informer;
}

async function changeThings(random: Random, steps: number): Promise<void> {
  for (let step = 0; step < steps; step += 1) {
    const name = `thing-${random.int(6)}`;
    if (!isThere(name)) await create(name);
    else if (random.chance(0.4)) await remove(name);
    else await change(name, String(step));
    if (random.chance(0.5)) await time.pass(random.int(3_000));
  }
  // Elsewhere life goes on, as it does in every Kubernetes.
  const tick = setInterval(() => void change("elsewhere", String(Date.now()), "etcd-operator"), 1_000);
  await create("elsewhere", {}, "etcd-operator");
  end.signal.addEventListener("abort", () => clearInterval(tick));
}

async function create(name: string, labels: Record<string, string> = {}, namespace = "tests"): Promise<void> {
  await api.admin.create(resources.configMaps, { metadata: { namespace, name, labels }, data: {} });
}

async function change(name: string, value: string, namespace = "tests"): Promise<void> {
  await api.admin.patch(resources.configMaps, { namespace, name }, { merge: { data: { value } } });
}

async function remove(name: string): Promise<void> {
  await api.admin.delete(resources.configMaps, { namespace: "tests", name });
}

function stored(): readonly Stored[] {
  return new StoredObjects(api.etcd, "tests").of(resources.configMaps);
}

function isThere(name: string): boolean {
  return stored().some(({ metadata }) => metadata.name === name);
}

function isEqual(informer: Informer<ConfigMap>): boolean {
  return versionsOf(informer.cache.list()) === versionsOf(stored());
}

function versionsOf(objects: readonly Stored[]): string {
  return objects
    .map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`)
    .sort()
    .join(", ");
}

function names(informer: Informer<ConfigMap>): string[] {
  return informer.cache.list().map(({ metadata }) => metadata.name);
}

function told(change: Change<ConfigMap>): string {
  return change.type === "synced" ? "synced" : `${change.type} ${change.object.metadata.name}`;
}
