import { errorOf } from "@etcd-operator/testing/kubernetes/error-of.ts";
import { json, scriptedServer } from "@etcd-operator/testing/kubernetes/scripted-server.ts";
import { expect, test } from "vitest";
import { MOST_PAGE_BYTES } from "./bounded-text.ts";
import { resources } from "./resources.ts";
import { KubeClient } from "./rest-client.ts";

test("an object larger than any that etcd keeps is not read to its end", async () => {
  await using server = await scriptedServer((_, response) => void response.end(Buffer.alloc(64 << 20, " ")));
  const client = new KubeClient(server.connection);
  expect((await errorOf(client.get(resources.configMaps, { namespace: "a", name: "b" }))).code).toBe("too-large");
  await client.close();
});

test("a refusal keeps its status, however much is said with it", async () => {
  await using server = await scriptedServer((_, response) => {
    response.writeHead(403).end(Buffer.alloc(16 << 20, "no"));
  });
  const client = new KubeClient(server.connection);
  expect((await errorOf(client.get(resources.configMaps, { namespace: "a", name: "b" }))).code).toBe("forbidden");
  await client.close();
});

test("a page that is too large is asked for again, with fewer objects", async () => {
  const item = { metadata: { name: "a", uid: "u", resourceVersion: "1" } };
  await using server = await scriptedServer(({ query }, response) => {
    if (Number(query.get("limit")) > 62) return void response.end(Buffer.alloc(MOST_PAGE_BYTES + 1, " "));
    json(response, 200, { metadata: { resourceVersion: "1" }, items: [item] });
  });
  const client = new KubeClient(server.connection);
  expect((await client.list(resources.configMaps)).items).toHaveLength(1);
  expect(server.requests.map(({ query }) => query.get("limit"))).toEqual(["500", "62"]);
  await client.close();
});
