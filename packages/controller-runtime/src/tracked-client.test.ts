import assert from "node:assert/strict";
import type { ObjectRef, Stored } from "@etcd-operator/kubernetes-client";
import { KubeClient, resources } from "@etcd-operator/kubernetes-client";
import { configMap, failure, json, scriptedServer } from "@etcd-operator/testing/kubernetes/scripted-server.ts";
import { beforeEach, describe, test } from "vitest";
import { TrackedClient } from "./tracked-client.ts";

const { configMaps } = resources;
const notes: string[] = [];
const log = {
  wrote: (_: unknown, { metadata }: Stored) => notes.push(`wrote ${metadata.name}@${metadata.resourceVersion}`),
  deleted: (_: unknown, { uid }: ObjectRef & { uid: string }, returned?: Stored) =>
    notes.push(`deleted ${uid}, ${returned ? `returned @${returned.metadata.resourceVersion}` : "gone"}`),
  leftOpen: () => notes.push("left open"),
};

beforeEach(() => {
  notes.length = 0;
});

async function against(status: number, body: unknown, use: (client: TrackedClient) => Promise<unknown>) {
  await using server = await scriptedServer((_, response) => json(response, status, body));
  const client = new KubeClient(server.connection);
  const error = await use(new TrackedClient(client, log)).then(
    () => undefined,
    (reason: { code?: string }) => reason.code,
  );
  await client.close();
  return { error, requests: server.requests };
}

describe("every way to write is noted, with the version that it returned:", () => {
  const object = configMap("a", "1");
  const ref = object.metadata;
  const ways: Record<string, (client: TrackedClient) => Promise<unknown>> = {
    create: (client) => client.create(configMaps, object),
    update: (client) => client.update(configMaps, object),
    updateStatus: (client) => client.updateStatus(configMaps, object),
    patch: (client) => client.patch(configMaps, ref, { merge: {} }),
    patchStatus: (client) => client.patchStatus(configMaps, ref, { merge: {} }),
  };
  test.each(Object.entries(ways))("%s", async (_, write) => {
    await against(200, configMap("a", "7"), write);
    assert.deepEqual(notes, ["wrote a@7"]);
  });
});

describe("a deletion", () => {
  test("names the UID that it is meant for, also beside other preconditions", async () => {
    const preconditions = { resourceVersion: "1" };
    const { requests } = await against(200, configMap("a", "7"), (client) =>
      client.delete(configMaps, configMap("a", "1"), { preconditions }),
    );
    const body = JSON.parse(requests[0]?.body ?? "") as { preconditions: unknown };
    assert.deepEqual(body.preconditions, { uid: "uid-of-a", resourceVersion: "1" });
    assert.deepEqual(notes, ["deleted uid-of-a, returned @7"]);
  });

  test("after which the object is gone is noted as that", async () => {
    await against(200, { kind: "Status", status: "Success" }, (client) =>
      client.delete(configMaps, configMap("a", "1")),
    );
    assert.deepEqual(notes, ["deleted uid-of-a, gone"]);
  });
});

test("a write that was refused was not made", async () => {
  const { error } = await against(409, failure(409, "Conflict"), (client) =>
    client.update(configMaps, configMap("a", "1")),
  );
  assert.equal(error, "conflict");
  assert.deepEqual(notes, []);
});

test("a write whose fate is unknown is left open", async () => {
  const { error } = await against(503, failure(503, "ServiceUnavailable"), (client) =>
    client.create(configMaps, configMap("a", "1")),
  );
  assert.equal(error, "unavailable");
  assert.deepEqual(notes, ["left open"]);
});
