import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { KubeClient, resources } from "@etcd-operator/kubernetes-client";
import {
  configMap,
  failure,
  json,
  listOf,
  type ReceivedRequest,
  scriptedServer,
} from "@etcd-operator/testing/kubernetes/scripted-server.ts";
import { test } from "vitest";
import { InformerSet } from "./informer-set.ts";
import { createLogger } from "./observability/logger.ts";

const { configMaps, namespaces, pods } = resources;

async function withSet(
  answer: Parameters<typeof scriptedServer>[0],
  use: (set: InformerSet, signal: AbortSignal, requests: ReceivedRequest[], lines: string[]) => Promise<void>,
): Promise<void> {
  await using server = await scriptedServer(answer);
  const client = new KubeClient(server.connection);
  const abort = new AbortController();
  const lines: string[] = [];
  const logger = createLogger({ write: (line) => lines.push(line) });
  await use(new InformerSet({ client, namespace: "default", logger }), abort.signal, server.requests, lines);
  abort.abort();
  await client.close();
}

test("informers look into the scope's namespace, and are synced when the set says so", async () => {
  await withSet(
    (request, response) => {
      if (!request.query.get("watch")) json(response, 200, listOf("1", [configMap("a", "1")]));
    },
    async (set, signal, requests) => {
      const followed = set.add(configMaps, { labelSelector: "app=etcd" });
      set.add(namespaces);
      assert.equal(set.complaint, "not listed yet: configmaps, namespaces");
      const running = set.run(signal);
      await set.waitForSync(signal);
      assert.equal(set.complaint, undefined);
      assert.equal(followed.cache.size, 1);
      const lists = requests.filter(({ query }) => !query.get("watch"));
      assert.deepEqual(lists.map(({ path }) => path).sort(), [
        "/api/v1/namespaces",
        "/api/v1/namespaces/default/configmaps",
      ]);
      assert.equal(lists.find(({ path }) => path.endsWith("configmaps"))?.query.get("labelSelector"), "app=etcd");
      assert.deepEqual([set.cachesOf(configMaps).length, set.cachesOf(pods).length], [1, 0]);
      assert.throws(() => set.add(pods), /too late/);
      void running;
    },
  );
});

test("a list that is not allowed is reported, in the log and by the readiness endpoint", async () => {
  await withSet(
    (_, response) => json(response, 403, failure(403, "Forbidden")),
    async (set, signal, _, lines) => {
      set.add(pods);
      void set.run(signal);
      while (lines.length === 0) await pause(5);
      assert.match(set.complaint ?? "", /not listed yet: pods \(GET .* failed: scripted Forbidden\)/);
      assert.match(lines[0] ?? "", /"level":"warn".*"code":"forbidden".*"resource":"pods"/);
    },
  );
});

test("a kind whose CRD is deleted is named, in the log and by the readiness endpoint, until it is back", async () => {
  let isServed = true;
  await withSet(
    (request, response) => {
      if (!isServed) json(response, 404, failure(404, "NotFound"));
      else if (!request.query.get("watch")) json(response, 200, listOf("1", [configMap("a", "1")]));
      // A watch that the API server ends at once, as it does when the CRD goes.
      else response.end();
    },
    async (set, signal, _, lines) => {
      const followed = set.add(configMaps);
      const running = set.run(signal);
      await set.waitForSync(signal);
      assert.equal(set.complaint, undefined);
      isServed = false;
      while (set.complaint === undefined) await pause(5);
      assert.match(set.complaint, /does not serve configmaps any more: apply deploy\/crd/);
      assert.ok(lines.some((line) => /"level":"warn".*does not serve configmaps any more/.test(line)));
      isServed = true;
      while (set.complaint !== undefined) await pause(5);
      assert.ok(lines.some((line) => /"level":"info".*served again/.test(line)));
      assert.equal(followed.cache.size, 1);
      void running;
    },
  );
});
