import assert from "node:assert/strict";
import { createLogger } from "@etcd-operator/controller-runtime";
import type { KubeObject, ObjectRef, Stored } from "@etcd-operator/kubernetes-client";
import { KubernetesError, type KubernetesErrorCode } from "@etcd-operator/kubernetes-client";
import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
import type { CustomResourceDefinition } from "kubernetes-types/apiextensions/v1.d.ts";
import { beforeEach, describe, test } from "vitest";
import { createCrds } from "./create-crds.ts";

const CLUSTERS = "etcdclusters.etcd.database.coreos.com";
const REVISION = "etcd.database.coreos.com/schema-revision";

/** An API server as far as CRDs go: versions, conflicts, and a moment until what is new is served. */
class FakeCrds {
  readonly stored = new Map<string, Stored<CustomResourceDefinition>>();
  /** What goes wrong with the next calls, whichever they are. */
  readonly failures: KubernetesErrorCode[] = [];
  #version = 0;

  put(object: KubeObject, isServed = true): Stored<CustomResourceDefinition> {
    this.#version += 1;
    const metadata = { ...object.metadata, uid: "1", resourceVersion: String(this.#version) };
    const status = { conditions: isServed ? [{ type: "Established", status: "True" }] : [] };
    const stored = { ...object, metadata, status } as unknown as Stored<CustomResourceDefinition>;
    this.stored.set(stored.metadata.name, stored);
    return stored;
  }

  async get(_: unknown, { name }: ObjectRef) {
    this.#fail();
    const found = this.stored.get(name);
    if (!found) throw failure("not-found");
    // A second request finds it served.
    this.put(found);
    return found;
  }

  async create(_: unknown, object: KubeObject) {
    this.#fail();
    if (this.stored.has(object.metadata?.name ?? "")) throw failure("already-exists");
    return this.put(object, false);
  }

  async update(_: unknown, object: KubeObject) {
    this.#fail();
    return this.put(object);
  }

  #fail(): void {
    const code = this.failures.shift();
    if (code) throw failure(code);
  }
}

function failure(code: KubernetesErrorCode): KubernetesError {
  return new KubernetesError(code, { operation: "CALL crds", message: `scripted ${code}` });
}

let clock: FakeClock;
let crds: FakeCrds;
let lines: { msg: string; level: string; crd?: string }[];
const abort = new AbortController();

beforeEach(() => {
  clock = new FakeClock();
  crds = new FakeCrds();
  lines = [];
});

async function run(): Promise<void> {
  const logger = createLogger({ write: (line) => lines.push(JSON.parse(line)) });
  // The fake has the three methods, without their type parameters.
  const client = crds as unknown as Parameters<typeof createCrds>[0]["client"];
  const running = createCrds({ client, logger, clock, random: () => 0.5 }, abort.signal);
  let isOver = false;
  const watched = running.finally(() => {
    isOver = true;
  });
  watched.catch(() => undefined);
  for (let turn = 0; turn < 200 && !isOver; turn += 1) await clock.advance(100);
  await watched;
}

describe("CRDs", () => {
  test("are created and waited for", async () => {
    await run();
    assert.deepEqual([...crds.stored.keys()].map((name) => name.split(".")[0]).sort(), [
      "etcdbackups",
      "etcdclusters",
      "etcdrestores",
    ]);
    assert.equal(lines.filter(({ msg }) => msg === "CRD created").length, 3);
  });

  test("that are up to date are left alone", async () => {
    await run();
    lines.length = 0;
    const before = crds.stored.get(CLUSTERS)?.spec;
    await run();
    assert.deepEqual(lines, []);
    assert.equal(crds.stored.get(CLUSTERS)?.spec, before);
  });

  test("that are older are brought up to date, those that are newer are left, and both is said", async () => {
    crds.put({ metadata: { name: CLUSTERS } });
    const newer = { metadata: { name: CLUSTERS.replace("clusters", "backups"), annotations: { [REVISION]: "999" } } };
    crds.put(newer);
    await run();
    assert.ok(crds.stored.get(CLUSTERS)?.spec);
    assert.equal(crds.stored.get(newer.metadata.name)?.spec, undefined);
    assert.ok(lines.some(({ msg, crd }) => msg === "CRD updated" && crd === CLUSTERS));
    assert.ok(lines.some(({ msg, level }) => /'999' is newer than our/.test(msg) && level === "warn"));
  });
});

describe("what goes wrong", () => {
  test.each(["conflict", "already-exists"] as const)(
    "because another operator was first (%s) is tried again",
    async (code) => {
      crds.failures.push("not-found", "not-found", "not-found", code);
      await run();
      assert.equal(crds.stored.size, 3);
      assert.deepEqual(new Set(lines.map(({ level }) => level)), new Set(["info"]));
    },
  );

  test.each(["unavailable", "timeout", "too-many-requests", "unauthorized"] as const)(
    "and passes (%s) is tried again, and said",
    async (code) => {
      crds.failures.push(code, code, code, code);
      await run();
      assert.equal(crds.stored.size, 3);
      assert.ok(lines.some(({ level }) => level === "warn"));
    },
  );

  test("for lack of rights needs a person; the message names the remedy", async () => {
    crds.failures.push("forbidden");
    await assert.rejects(run(), {
      name: "OperatorError",
      code: "crd-forbidden",
      message: /scripted forbidden\. .*create_role\.sh.*etcd-operator crds \| kubectl apply -f -.*--create-crd=false/,
    });
  });

  test("because the API server finds a CRD wrong is for a person", async () => {
    crds.failures.push("not-found", "not-found", "not-found", "invalid");
    await assert.rejects(run(), { code: "crd-refused", message: /scripted invalid/ });
  });
});
