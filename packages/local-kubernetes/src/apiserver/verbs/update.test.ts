import assert from "node:assert/strict";
import { test } from "vitest";
import type { ApiContext } from "../api-context.ts";
import { ApiError } from "../api-error.ts";
import { BUILTIN_RESOURCES } from "../kinds/builtin-kinds.ts";
import { Registry } from "../kinds/registry.ts";
import type { KubeObject } from "../kube-object.ts";
import { update } from "./update.ts";

const resource = new Registry(BUILTIN_RESOURCES).find("", "v1", "configmaps");
const options = { isDryRun: false, fieldValidation: "Ignore", warn: () => {} } as const;

/** A store with one ConfigMap, in which another writer is faster so many times; a look at the clock takes a second. */
function aServer(faster: number) {
  assert.ok(resource);
  const value = resource.codec.encode({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", uid: "u" } });
  let [writes, nowMs] = [0, 0];
  const store = {
    get: async (key: string) => ({ key, value, revision: 7n }),
    update: async () => {
      writes += 1;
      return writes > faster ? { kind: "written", revision: 8n } : { kind: "changed" };
    },
  };
  const now = () => {
    nowMs += 1_000;
    return new Date(nowMs);
  };
  const api = { store, caches: { known: () => undefined }, admission: { now } } as unknown as ApiContext;
  const change = (old: KubeObject): KubeObject => ({ ...old, data: { a: "1" } });
  return update(api, { resource, namespace: "ns", name: "a" }, options, change);
}

test("a change that names no version is tried until it is the fastest", async () => {
  const written = await aServer(9);
  assert.equal(written.kind, "stored");
});

test("a change that is never the fastest ends like any request that takes too long", async () => {
  await assert.rejects(aServer(1_000), (error) => {
    assert.ok(error instanceof ApiError);
    assert.deepEqual([error.code, error.reason], [504, "Timeout"]);
    return true;
  });
});
