import assert from "node:assert/strict";
import { fenceOf, TrackedClient } from "@etcd-operator/controller-runtime";
import { KubeClient, resources, systemClock } from "@etcd-operator/kubernetes-client";
import { configMap, failure, json, scriptedServer } from "@etcd-operator/testing/kubernetes/scripted-server.ts";
import { test } from "vitest";
import { FencedWriter } from "./fenced-writer.ts";

const OBJECT = configMap("a", "1");

/**
 * Creates an object where the first requests are rejected; time passes after the first, and another process may lead by
 * then.
 */
async function created(given: { refusals: number; retryAfter?: string; isLeadingLater?: boolean }): Promise<string> {
  const { refusals, retryAfter, isLeadingLater = true } = given;
  const headers = retryAfter === undefined ? {} : { "retry-after": retryAfter };
  await using server = await scriptedServer((_, response) => {
    if (server.requests.length > refusals) json(response, 201, OBJECT);
    else json(response, 429, failure(429, "TooManyRequests"), headers);
  });
  const client = new KubeClient(server.connection);
  let waitedMs = 0;
  const after = (ms: number, run: () => void) => {
    waitedMs += ms;
    return systemClock.after(0, run);
  };
  const writer = new FencedWriter({
    writer: new TrackedClient(client, { wrote: () => {}, deleted: () => {}, leftOpen: () => {} }),
    fence: fenceOf(() => waitedMs === 0 || isLeadingLater),
    namespace: "default",
    clock: { ...systemClock, after },
    signal: new AbortController().signal,
  });
  const outcome = writer.create(resources.configMaps, OBJECT).then(
    () => "created",
    (error: { code?: string }) => String(error.code),
  );
  const told = await outcome;
  await client.close();
  return `${told} after ${waitedMs} ms, ${server.requests.length} requests`;
}

test.each([
  { given: { refusals: 0 }, told: "created after 0 ms, 1 requests" },
  { given: { refusals: 1, retryAfter: "1" }, told: "created after 1000 ms, 2 requests" },
  { given: { refusals: 2, retryAfter: "1" }, told: "too-many-requests after 1000 ms, 2 requests" },
  { given: { refusals: 1, retryAfter: "3" }, told: "too-many-requests after 0 ms, 1 requests" },
  { given: { refusals: 1 }, told: "too-many-requests after 0 ms, 1 requests" },
  { given: { refusals: 1, retryAfter: "1", isLeadingLater: false }, told: "not-leading after 1000 ms, 1 requests" },
])(
  "what a busy API server turns away is created in the same pass when it asks for a moment only: $given",
  async ({ given, told }) => {
    assert.equal(await created(given), told);
  },
);
