import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { errorOf } from "@etcd-operator/testing/kubernetes/error-of.ts";
import {
  configMap,
  eventLine,
  failure,
  json,
  listOf,
  type ReceivedRequest,
  scriptedServer,
} from "@etcd-operator/testing/kubernetes/scripted-server.ts";
import { until } from "@etcd-operator/testing/until.ts";
import type { ConfigMap } from "kubernetes-types/core/v1.d.ts";
import { describe, test } from "vitest";
import type { WatchEvent } from "../watch/watch-event.ts";
import type { Stored } from "./kube-object.ts";
import type { KubernetesErrorCode } from "./kubernetes-error.ts";
import { resources } from "./resources.ts";
import { KubeClient } from "./rest-client.ts";

const { configMaps } = resources;
const ref = { namespace: "default", name: "a" };

async function serving(answer: (request: ReceivedRequest, response: ServerResponse) => void, timeoutMs = 5_000) {
  const server = await scriptedServer(answer);
  const client = new KubeClient(server.connection, { timeoutMs });
  return {
    client,
    requests: server.requests,
    async [Symbol.asyncDispose]() {
      await client.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe("requests", () => {
  test("a delete carries its preconditions", async () => {
    await using api = await serving((_, response) => json(response, 200, { kind: "Status", status: "Success" }));
    const gone = await api.client.delete(configMaps, ref, {
      preconditions: { uid: "u", resourceVersion: "7" },
      propagationPolicy: "Orphan",
      gracePeriodSeconds: 0,
    });
    assert.equal(gone, undefined);
    const [request] = api.requests;
    assert.equal(`${request?.method} ${request?.path}`, "DELETE /api/v1/namespaces/default/configmaps/a");
    assert.deepEqual(JSON.parse(request?.body ?? ""), {
      apiVersion: "v1",
      kind: "DeleteOptions",
      preconditions: { uid: "u", resourceVersion: "7" },
      propagationPolicy: "Orphan",
      gracePeriodSeconds: 0,
    });
  });

  test("a patch says of which kind it is", async () => {
    await using api = await serving((_, response) => json(response, 200, configMap("a", "1")));
    await api.client.patch(configMaps, ref, { merge: {} }, { fieldManager: "me" });
    await api.client.patchStatus(configMaps, ref, { json: [{ op: "remove", path: "/status" }] });
    await api.client.patch(configMaps, ref, { strategic: {} });
    await api.client.patch(configMaps, ref, { apply: {} }, { fieldManager: "me", force: true });
    assert.deepEqual(
      api.requests.map(({ headers, path, query }) => [headers["content-type"], path.split("/").at(-1), `${query}`]),
      [
        ["application/merge-patch+json", "a", "fieldManager=me"],
        ["application/json-patch+json", "status", ""],
        ["application/strategic-merge-patch+json", "a", ""],
        ["application/apply-patch+yaml", "a", "fieldManager=me&force=true"],
      ],
    );
  });

  test("an object needs a name, and in a namespace", async () => {
    await using api = await serving((_, response) => json(response, 200, {}));
    await assert.rejects(api.client.get(configMaps, { name: "a" }), /lives in a namespace/);
    await assert.rejects(api.client.delete(configMaps, { namespace: "default", name: "" }), /without a name/);
    assert.deepEqual(api.requests, []);
  });
});

describe("lists", () => {
  test("are put together from pages, and their items say what they are", async () => {
    await using api = await serving(({ query }, response) => {
      const second = query.get("continue") === "token";
      const { apiVersion: _, kind: __, ...item } = configMap(second ? "b" : "a", "1");
      json(response, 200, listOf("9", [item], second ? undefined : "token"));
    });
    const { items, resourceVersion } = await api.client.list(configMaps, { limit: 1, labelSelector: "x=y" });
    assert.deepEqual(
      items.map(({ metadata, kind, apiVersion }) => [metadata.name, kind, apiVersion]),
      [
        ["a", "ConfigMap", "v1"],
        ["b", "ConfigMap", "v1"],
      ],
    );
    assert.equal(resourceVersion, "9");
    assert.deepEqual(
      api.requests.map(({ query }) => `${query}`),
      ["labelSelector=x%3Dy&limit=1", "labelSelector=x%3Dy&limit=1&continue=token"],
    );
  });

  test("of which less is to be kept are cut down page by page, before the next one is asked for", async () => {
    await using api = await serving(({ query }, response) => {
      const second = query.get("continue") === "token";
      json(response, 200, listOf("9", [configMap(second ? "b" : "a", "1")], second ? undefined : "token"));
    });
    const kept: [name: string, requests: number][] = [];
    const keep = (object: Stored<ConfigMap>): Stored<ConfigMap> => {
      kept.push([object.metadata.name, api.requests.length]);
      return { ...object, data: { kept: "little" } };
    };
    const { items } = await api.client.list(configMaps, { limit: 1, keep });
    assert.deepEqual(kept, [
      ["a", 1],
      ["b", 2],
    ]);
    assert.deepEqual(
      items.map(({ data }) => data),
      [{ kept: "little" }, { kept: "little" }],
    );
  });

  test("start over in one piece when their version is compacted meanwhile", async () => {
    await using api = await serving(({ query }, response) => {
      if (query.has("continue")) json(response, 410, failure(410, "Expired"));
      else json(response, 200, listOf("9", [configMap("a", "1")], query.has("limit") ? "token" : undefined));
    });
    const { items } = await api.client.list(configMaps);
    assert.equal(items.length, 1);
    assert.equal(api.requests.length, 3);
  });
});

describe("failures", () => {
  test.each<[number, string, KubernetesErrorCode]>([
    [400, "BadRequest", "invalid"],
    [401, "Unauthorized", "unauthorized"],
    [403, "Forbidden", "forbidden"],
    [404, "NotFound", "not-found"],
    [405, "MethodNotAllowed", "unknown"],
    [409, "AlreadyExists", "already-exists"],
    [409, "Conflict", "conflict"],
    [410, "Expired", "gone"],
    [422, "Invalid", "invalid"],
    [429, "TooManyRequests", "too-many-requests"],
    [500, "InternalError", "unavailable"],
    [500, "ServerTimeout", "timeout"],
    [503, "ServiceUnavailable", "unavailable"],
    [504, "Timeout", "timeout"],
  ])("%i %s is '%s'", async (status, reason, code) => {
    await using api = await serving((_, response) => json(response, status, failure(status, reason)));
    const error = await errorOf(api.client.get(configMaps, ref));
    assert.deepEqual([error.code, error.status, error.reason], [code, status, reason]);
    assert.match(error.message, /GET \/api\/v1\/namespaces\/default\/configmaps\/a failed: scripted/);
  });

  test("the pause that the server asks for and the causes are kept", async () => {
    const causes = [{ reason: "DisruptionBudget", message: "no" }];
    await using api = await serving((_, response) =>
      json(response, 429, failure(429, "TooManyRequests", { causes }), { "retry-after": "7" }),
    );
    const error = await errorOf(api.client.get(configMaps, ref));
    assert.equal(error.retryAfterMs, 7_000);
    assert.deepEqual(error.causes, causes);
  });

  test("an answer of a proxy in between is quoted", async () => {
    await using api = await serving((_, response) => response.writeHead(502).end("<html>bad gateway"));
    const error = await errorOf(api.client.get(configMaps, ref));
    assert.equal(error.code, "unavailable");
    assert.match(error.message, /bad gateway/);
  });

  test("a success that is no JSON is unknown", async () => {
    await using api = await serving((_, response) => response.end("hello"));
    assert.equal((await errorOf(api.client.get(configMaps, ref))).code, "unknown");
  });

  test("a reset is unavailable, and a write is not sent again", async () => {
    await using api = await serving((_, response) => response.destroy());
    assert.equal((await errorOf(api.client.create(configMaps, configMap("a", "1")))).code, "unavailable");
    assert.equal(api.requests.length, 1);
  });

  test("a server that is not there is unavailable", async () => {
    const server = await scriptedServer(() => undefined);
    await server[Symbol.asyncDispose]();
    const error = await errorOf(new KubeClient(server.connection).get(configMaps, ref));
    assert.equal(error.code, "unavailable");
    assert.match(error.message, /ECONNREFUSED/);
  });

  test("no answer in time is a timeout, also within the answer", async () => {
    await using api = await serving((_, response) => void response.writeHead(200).write("{"), 50);
    assert.equal((await errorOf(api.client.get(configMaps, ref))).code, "timeout");
  });

  test("an abort is 'canceled', before and during the request", async () => {
    const abort = new AbortController();
    await using api = await serving(() => abort.abort());
    assert.equal((await errorOf(api.client.get(configMaps, ref, { signal: abort.signal }))).code, "canceled");
    assert.equal((await errorOf(api.client.get(configMaps, ref, { signal: abort.signal }))).code, "canceled");
    assert.equal(api.requests.length, 1);
  });
});

describe("watches", () => {
  test("tell events and bookmarks, and end when the server ends them", async () => {
    await using api = await serving((_, response) => {
      response.write(eventLine("ADDED", configMap("a", "2")));
      response.write(eventLine("BOOKMARK", { metadata: { resourceVersion: "5" } }));
      response.end(eventLine("DELETED", configMap("a", "6")));
    });
    const options = { resourceVersion: "1", allowWatchBookmarks: true, timeoutSeconds: 60, fieldSelector: "f=1" };
    assert.deepEqual(await told(api.client.watch(configMaps, options)), ["ADDED a 2", "BOOKMARK 5", "DELETED a 6"]);
    assert.equal(
      `${api.requests[0]?.query}`,
      "watch=true&resourceVersion=1&allowWatchBookmarks=true&timeoutSeconds=60&fieldSelector=f%3D1",
    );
  });

  test("throw the error that an event carries", async () => {
    await using api = await serving((_, response) => response.end(eventLine("ERROR", failure(410, "Expired"))));
    assert.equal((await errorOf(told(api.client.watch(configMaps)))).code, "gone");
  });

  test("that break off within a line are unavailable", async () => {
    await using api = await serving((_, response) => {
      response.write(`${eventLine("ADDED", configMap("a", "2"))}{"type":"ADD`, () => response.destroy());
    });
    assert.equal((await errorOf(told(api.client.watch(configMaps)))).code, "unavailable");
  });

  test("end with the signal, which leaves no connection behind", async () => {
    const abort = new AbortController();
    let closed: Promise<void> | undefined;
    await using api = await serving((_, response) => {
      closed = new Promise((resolve) => response.on("close", resolve));
      response.write(eventLine("ADDED", configMap("a", "2")));
    });
    const events = api.client.watch(configMaps, { signal: abort.signal });
    await events.next();
    abort.abort();
    assert.equal((await errorOf(events.next())).code, "canceled");
    await closed;
  });

  test("that are left half-way close their connection", async () => {
    let closed: Promise<void> | undefined;
    await using api = await serving((_, response) => {
      closed = new Promise((resolve) => response.on("close", resolve));
      response.write(eventLine("ADDED", configMap("a", "2")));
    });
    for await (const _ of api.client.watch(configMaps)) break;
    await closed;
  });

  test("outlive the timeout for requests, which is for their beginning", async () => {
    await using api = await serving((_, response) => {
      response.flushHeaders();
      setTimeout(() => response.end(eventLine("ADDED", configMap("a", "2"))), 200);
    }, 100);
    assert.deepEqual(await told(api.client.watch(configMaps)), ["ADDED a 2"]);
  });

  test("hold the server back while their reader is slow", async () => {
    const line = eventLine("ADDED", { ...configMap("a", "2"), data: { large: "x".repeat(1_000_000) } });
    let written = 0;
    await using api = await serving((_, response) => {
      const write = () => {
        written += 1;
        if (written < 100) response.write(line, (error) => !error && write());
      };
      write();
    });
    const events = api.client.watch(configMaps);
    await events.next();
    let before = -1;
    const isHeldBack = () => {
      const isStill = before === written;
      before = written;
      return isStill;
    };
    await until(isHeldBack, { what: "the server to stop writing", everyMs: 100 });
    // The kernel's buffers take what they take; a hundred megabytes are not among it.
    assert.ok(written < 50, `the server could write ${written} MB to a reader that reads nothing`);
    await events.return(undefined);
  });
});

async function told(events: AsyncIterable<WatchEvent<object>>): Promise<string[]> {
  const lines: string[] = [];
  for await (const event of events) {
    if (event.type === "BOOKMARK") lines.push(`BOOKMARK ${event.resourceVersion}`);
    else lines.push(`${event.type} ${event.object.metadata.name} ${event.object.metadata.resourceVersion}`);
  }
  return lines;
}
