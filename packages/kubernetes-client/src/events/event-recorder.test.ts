import assert from "node:assert/strict";
import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
import { configMap } from "@etcd-operator/testing/kubernetes/scripted-server.ts";
import { until } from "@etcd-operator/testing/until.ts";
import type { Event } from "kubernetes-types/core/v1.d.ts";
import { describe, test } from "vitest";
import { KubernetesError, type KubernetesErrorCode } from "../requests/kubernetes-error.ts";
import { EventRecorder, type EventRecorderOptions } from "./event-recorder.ts";

/** The Events of an API server that may fail. */
function recording() {
  const events = new Map<string, Event>();
  const failures: (KubernetesErrorCode | KubernetesError)[] = [];
  const errors: unknown[] = [];
  let requests = 0;
  const answer = () => {
    requests += 1;
    const failure = failures.shift();
    if (failure instanceof KubernetesError) throw failure;
    if (failure) throw new KubernetesError(failure, { operation: "scripted", message: failure });
  };
  const client = {
    create: async (_: unknown, event: Event) => {
      answer();
      events.set(event.metadata.name ?? "", event);
      return event;
    },
    patch: async (_: unknown, { name }: { name: string }, { merge }: { merge: Partial<Event> }) => {
      answer();
      const event = events.get(name);
      if (!event) throw new KubernetesError("not-found", { operation: "scripted", message: "gone" });
      events.set(name, { ...event, ...merge });
    },
  } as unknown as EventRecorderOptions["client"];
  const clock = new FakeClock();
  const random = () => 0.5;
  const onError = (error: unknown) => errors.push(error);
  const recorder = new EventRecorder({ client, component: "etcd-operator", clock, random, onError });
  return { recorder, events, failures, errors, clock, requests: () => requests };
}

const cluster = configMap("a", "7");
const joined = { type: "Normal", reason: "MemberJoined", message: "a-1 joined" } as const;
const counts = (events: Map<string, Event>) => [...events.values()].map(({ count }) => count);

describe("events", () => {
  test("say who, what and when", async () => {
    const { recorder, events } = recording();
    recorder.record(cluster, joined);
    await recorder.flush();
    const [{ metadata, ...event } = {} as Event] = events.values();
    assert.match(metadata.name ?? "", /^a\.[0-9a-f]+$/);
    assert.equal(metadata.namespace, "default");
    assert.deepEqual(event, {
      involvedObject: {
        apiVersion: "v1",
        kind: "ConfigMap",
        namespace: "default",
        name: "a",
        uid: "uid-of-a",
        resourceVersion: "7",
      },
      ...joined,
      count: 1,
      firstTimestamp: "2030-01-01T00:00:00Z",
      lastTimestamp: "2030-01-01T00:00:00Z",
      source: { component: "etcd-operator" },
      reportingComponent: "etcd-operator",
      reportingInstance: "etcd-operator",
    });
  });

  test("that repeat become one with a count, those that differ do not", async () => {
    const { recorder, events, clock } = recording();
    recorder.record(cluster, joined);
    await recorder.flush();
    await clock.advance(5_000);
    recorder.record(cluster, joined);
    recorder.record(cluster, { ...joined, message: "a-2 joined" });
    await recorder.flush();
    assert.deepEqual(counts(events), [2, 1]);
    const [first] = events.values();
    assert.deepEqual([first?.firstTimestamp, first?.lastTimestamp], ["2030-01-01T00:00:00Z", "2030-01-01T00:00:05Z"]);
  });

  test("are written again when the API server has forgotten them", async () => {
    const { recorder, events } = recording();
    recorder.record(cluster, joined);
    await recorder.flush();
    events.clear();
    recorder.record(cluster, joined);
    await recorder.flush();
    assert.deepEqual(counts(events), [2]);
  });

  test("in a storm cost an object's share of requests, and the count stays right", async () => {
    const { recorder, events, clock, requests } = recording();
    for (let i = 0; i < 100; i += 1) {
      recorder.record(cluster, joined);
      await recorder.flush();
    }
    assert.equal(requests(), 25);
    await clock.advance(60_000);
    recorder.record(cluster, joined);
    await recorder.flush();
    assert.deepEqual(counts(events), [101]);
    recorder.record(configMap("b", "1"), joined);
    await recorder.flush();
    assert.equal(events.size, 2);
  });

  test("that warn are not dropped for many that do not, nor the other way round", async () => {
    const { recorder, events } = recording();
    const storm = async (type: "Normal" | "Warning", about: typeof cluster) => {
      for (let i = 0; i < 100; i += 1) recorder.record(about, { ...joined, type, message: `a-${i}` });
      await recorder.flush();
    };
    const told = (name: string) =>
      [...events.values()].filter(({ involvedObject, reason }) => involvedObject.name === name && reason === "Last");
    await storm("Normal", cluster);
    recorder.record(cluster, { type: "Warning", reason: "Last", message: "the disk is full" });
    await storm("Warning", configMap("b", "1"));
    recorder.record(configMap("b", "1"), { type: "Normal", reason: "Last", message: "all is well" });
    await recorder.flush();
    assert.deepEqual([told("a").length, told("b").length], [1, 1]);
  });

  test("that warn find room when those that do not fill what waits for the API server", async () => {
    const { recorder, events, failures, errors, clock } = recording();
    failures.push("unavailable");
    for (let i = 0; i < 2_000; i += 1) recorder.record(configMap(`object-${i}`, "1"), joined);
    await until(() => errors.length === 1, { what: "the first failure", everyMs: 1 });
    recorder.record(cluster, { type: "Warning", reason: "Last", message: "the disk is full" });
    await clock.advance(60_000);
    await recorder.flush();
    assert.ok([...events.values()].some(({ reason }) => reason === "Last"));
    assert.ok(events.size < 1_100, `${events.size} Events`);
  });

  test("are tried again while the API server is away, and given up when it refuses", async () => {
    const { recorder, events, failures, errors, clock } = recording();
    failures.push("unavailable", "timeout");
    recorder.record(cluster, joined);
    await until(() => errors.length === 1, { what: "the first failure", everyMs: 1 });
    await clock.advance(60_000);
    await recorder.flush();
    assert.deepEqual(counts(events), [1]);
    failures.push("forbidden");
    recorder.record(cluster, { ...joined, reason: "Other" });
    await recorder.flush();
    assert.equal(events.size, 1);
    assert.equal(errors.length, 3);
  });

  test("that a namespace on its way out refuses are given up without a word", async () => {
    const { recorder, events, failures, errors, requests } = recording();
    const causes = [{ reason: "NamespaceTerminating" }];
    failures.push(new KubernetesError("forbidden", { operation: "scripted", message: "it is going", causes }));
    recorder.record(cluster, joined);
    await recorder.flush();
    assert.deepEqual([events.size, requests(), errors], [0, 1, []]);
  });
});
