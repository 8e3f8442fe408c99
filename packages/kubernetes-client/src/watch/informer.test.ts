import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
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
import { KubernetesError } from "../requests/kubernetes-error.ts";
import { resources } from "../requests/resources.ts";
import { KubeClient } from "../requests/rest-client.ts";
import { Informer, type InformerOptions } from "./informer.ts";

type Step = (response: ServerResponse) => void;

/**
 * Runs an informer against a server that answers its requests with these steps, and then leaves the last watch open.
 */
async function following(...steps: Step[]) {
  return followingWith({}, ...steps);
}

async function followingWith(options: Pick<InformerOptions<ConfigMap, never>, "transform">, ...steps: Step[]) {
  const server = await scriptedServer((_, response) => {
    const step = steps.shift() ?? ((last: ServerResponse) => last.flushHeaders());
    step(response);
  });
  const clock = new FakeClock();
  const client = new KubeClient(server.connection, { timeoutMs: 5_000 });
  const [told, errors]: [string[], unknown[]] = [[], []];
  const informer = new Informer<ConfigMap>({
    ...options,
    client,
    resource: resources.configMaps,
    namespace: "default",
    clock,
    random: () => 0.5,
    onError: (error) => errors.push(error),
  });
  informer.onChange((change) => {
    told.push(change.type === "synced" ? "synced" : `${change.type} ${change.object.metadata.name}`);
  });
  const abort = new AbortController();
  const running = informer.run(abort.signal);
  return {
    informer,
    clock,
    told,
    errors,
    requests: server.requests,
    codes: () => errors.map((error) => (error instanceof KubernetesError ? error.code : String(error))),
    /** Waits for the n-th request, letting pauses pass but no stall. */
    async request(count: number): Promise<ReceivedRequest | undefined> {
      await until(
        async () => {
          if (server.requests.length < count) await clock.advance(1_000);
          return server.requests.length >= count;
        },
        { what: `request ${count} of ${server.requests.length}`, everyMs: 5 },
      );
      return server.requests[count - 1];
    },
    saw: (change: string) => until(() => told.includes(change), { what: `"${change}" among ${told}`, everyMs: 5 }),
    async [Symbol.asyncDispose]() {
      abort.abort();
      await running;
      await client.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

const list =
  (version: string, ...names: string[]): Step =>
  (response) =>
    json(
      response,
      200,
      listOf(
        version,
        names.map((name) => configMap(name, "1")),
      ),
    );
const fail =
  (code: number, reason: string, headers: Record<string, string> = {}): Step =>
  (response) =>
    json(response, code, failure(code, reason), headers);
const events =
  (...lines: string[]): Step =>
  (response) =>
    void response.write(lines.join(""));
const eventsThenEnd =
  (...lines: string[]): Step =>
  (response) =>
    void response.end(lines.join(""));
const added = (name: string, version: string) => eventLine("ADDED", configMap(name, version));
const bookmark = (resourceVersion: string) => eventLine("BOOKMARK", { metadata: { resourceVersion } });

const isList = (request: ReceivedRequest | undefined) => request?.query.has("watch") === false;
const startOf = (request: ReceivedRequest | undefined) => request?.query.get("resourceVersion");

describe("an informer", () => {
  test("lists, then watches from there with bookmarks", async () => {
    await using run = await following(list("9", "a"), events(added("b", "10")));
    await run.saw("added b");
    assert.deepEqual(run.told, ["added a", "synced", "added b"]);
    const [first, second] = run.requests;
    assert.equal(first?.query.get("limit"), "500");
    assert.deepEqual([startOf(second), second?.query.get("allowWatchBookmarks")], ["9", "true"]);
    await run.informer.cache.waitUntilSeen({ namespace: "default", name: "b" }, "10");
  });

  test("carries on after the last event or bookmark when the server ends the watch", async () => {
    await using run = await following(
      list("9"),
      eventsThenEnd(added("a", "10"), bookmark("20")),
      eventsThenEnd(added("b", "21")),
    );
    assert.equal(startOf(await run.request(3)), "20");
    assert.equal(startOf(await run.request(4)), "21");
    assert.deepEqual([run.told, run.errors], [["synced", "added a", "added b"], []]);
  });

  test.each<[string, Step]>([
    ["a status of 410", fail(410, "Expired")],
    ["an error event with 410", eventsThenEnd(eventLine("ERROR", failure(410, "Expired")))],
    ["a version from the future", eventsThenEnd(eventLine("ERROR", tooLarge()))],
  ])("lists again after %s, and reports what was deleted meanwhile", async (_, step) => {
    await using run = await following(list("9", "a", "b"), step, list("30", "b", "c"));
    assert.ok(isList(await run.request(3)));
    assert.equal(startOf(await run.request(4)), "30");
    assert.deepEqual(run.told, ["added a", "added b", "synced", "deleted a", "added c"]);
  });

  test("survives resets, also within a line, and does not list again for them", async () => {
    const reset: Step = (response) =>
      response.write(`${added("a", "10")}{"type":"ADDED","ob`, () => response.destroy());
    await using run = await following(list("9"), reset, (response) => response.destroy(), events(added("b", "11")));
    assert.equal(startOf(await run.request(4)), "10");
    await run.saw("added b");
    assert.deepEqual(run.told, ["synced", "added a", "added b"]);
    assert.deepEqual(run.codes(), ["unavailable", "unavailable"]);
  });

  test("survives failed lists", async () => {
    await using run = await following(
      fail(503, "ServiceUnavailable"),
      (r) => r.destroy(),
      fail(403, "Forbidden"),
      list("9", "a"),
    );
    await run.request(5);
    assert.deepEqual(run.told, ["added a", "synced"]);
    assert.deepEqual(run.codes(), ["unavailable", "unavailable", "forbidden"]);
  });

  test("is told of repeated events once", async () => {
    await using run = await following(
      list("9", "a"),
      events(added("a", "1"), added("b", "10"), added("b", "10"), added("c", "11")),
    );
    await run.saw("added c");
    assert.deepEqual(run.told, ["added a", "synced", "added b", "added c"]);
  });

  test("does not go back for an event that is sent again after newer ones", async () => {
    const deleted = eventLine("DELETED", configMap("a", "11"));
    await using run = await following(list("9", "a"), eventsThenEnd(deleted, added("a", "12"), deleted));
    assert.equal(startOf(await run.request(3)), "12");
    assert.deepEqual(run.told, ["added a", "synced", "deleted a", "added a"]);
  });

  test("waits as long as a busy server asks for", async () => {
    await using run = await following(list("9"), fail(429, "TooManyRequests", { "retry-after": "17" }));
    await until(() => run.errors.length === 1, { what: "the refusal", everyMs: 5 });
    assert.deepEqual(run.clock.pendingMs, [17_400]);
  });

  test("waits longer from failure to failure", async () => {
    await using run = await following(...Array.from({ length: 8 }, () => fail(503, "ServiceUnavailable")), list("9"));
    const pauses: number[] = [];
    for (let failures = 1; failures <= 8; failures += 1) {
      await until(() => run.errors.length === failures, { what: `failure ${failures}`, everyMs: 5 });
      const [pauseMs = 0] = run.clock.pendingMs;
      pauses.push(pauseMs);
      await run.clock.advance(pauseMs);
    }
    assert.deepEqual(pauses, [600, 1_200, 2_400, 4_800, 9_600, 19_200, 22_500, 22_500]);
  });

  test("does not run hot on watches that end at once", async () => {
    await using run = await following(list("9"), eventsThenEnd(), list("9"));
    await until(() => run.clock.pendingMs.length > 0 && run.requests.length === 2, { what: "a pause", everyMs: 5 });
    assert.deepEqual(run.errors, []);
  });

  test("reconnects when a watch is silent for too long, and carries on from where it was", async () => {
    await using run = await following(list("9"), events(added("a", "10")), events(added("b", "11")));
    await run.saw("added a");
    await run.clock.advance(179_000);
    assert.equal(run.requests.length, 2);
    await run.clock.advance(1_000);
    assert.equal(startOf(await run.request(3)), "10");
    assert.deepEqual(run.codes(), ["timeout"]);
    await run.saw("added b");
  });

  test("is kept from thinking so by a bookmark", async () => {
    let open: ServerResponse | undefined;
    await using run = await following(list("9"), (response) => {
      open = response;
      response.flushHeaders();
    });
    await until(() => open, { what: "the watch", everyMs: 5 });
    await run.clock.advance(170_000);
    open?.write(bookmark("12"));
    await run.informer.cache.waitUntilSeen({ name: "any" }, "12");
    await run.clock.advance(170_000);
    assert.deepEqual([run.requests.length, run.errors], [2, []]);
  });

  test("gives a transform the last state of an object, or else the object before it", async () => {
    const shown: string[] = [];
    const transform: InformerOptions<ConfigMap, never>["transform"] = (object, like) => {
      const nameOf = (each: typeof like) => each && `${each.metadata.name}@${each.metadata.resourceVersion}`;
      shown.push(`${nameOf(object)} after ${nameOf(like)}`);
      return object;
    };
    const modified = eventLine("MODIFIED", configMap("a", "11"));
    await using run = await followingWith({ transform }, list("9", "a", "b"), events(added("c", "10"), modified));
    await run.saw("modified a");
    assert.deepEqual(shown, ["a@1 after undefined", "b@1 after a@1", "c@10 after b@1", "a@11 after a@1"]);
  });

  test("reports cached objects to a late listener, and one that fails harms no other", async () => {
    await using run = await following(list("9", "a"), events(added("b", "10")));
    const late: string[] = [];
    run.informer.onChange(() => {
      throw new Error("a bug");
    });
    await run.saw("added b");
    const stop = run.informer.onChange((change) => late.push(change.type));
    stop();
    assert.deepEqual(late, ["added", "added", "synced"]);
    assert.ok(run.codes().includes("Error: a bug"));
  });
});

function tooLarge(): unknown {
  return failure(504, "Timeout", {
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
  });
}
