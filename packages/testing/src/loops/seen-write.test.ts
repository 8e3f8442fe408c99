import assert from "node:assert/strict";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { describe, test } from "vitest";
import { answeredWrite, placeOf, seenWrite } from "./seen-write.ts";

type APod = Stored & {
  readonly spec?: object;
  readonly status?: object;
};

const POD: APod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "a-1",
    uid: "1",
    resourceVersion: "7",
    creationTimestamp: "2030-01-01T00:00:00Z",
    labels: { etcd_cluster: "a" },
  },
  spec: { nodeName: "one" },
  status: { phase: "Running" },
};

describe("what is stored counts as the same", () => {
  test.each<[string, object, string?]>([
    ["under another uid, revision and time", { metadata: { ...POD.metadata, uid: "2", resourceVersion: "8" } }],
    ["when another client has written the status", { status: { phase: "Failed" } }],
    ["when only the spec differs, after a write of the status", { spec: { nodeName: "two" } }, "pods/a-1/status"],
    ["when a status says the same of another time", { status: { phase: "Running" } }, "pods/a-1/status"],
  ])("%s", (_, change, path = "pods/a-1") => {
    assert.equal(stored(path, { ...POD, ...change }), stored(path, POD));
  });

  test("when a condition has changed its time and nothing else", () => {
    const at = (lastTransitionTime: string) => ({ ...POD, status: { conditions: [{ lastTransitionTime }] } });
    const [one, other] = [at("2030-01-01T00:00:01Z"), at("2030-01-01T00:00:02.123456Z")];
    assert.equal(stored("pods/a-1/status", one), stored("pods/a-1/status", other));
  });

  test("as long as a Lease says the same second", () => {
    const lease = (renewTime: string) => stored("leases/l", { ...POD, spec: { renewTime } });
    assert.equal(lease("2030-01-01T00:00:01.1Z"), lease("2030-01-01T00:00:01.9Z"));
    assert.notEqual(lease("2030-01-01T00:00:01.1Z"), lease("2030-01-01T00:00:02.1Z"));
  });
});

test("what differs in a label, in the spec or in the status that was written is something new", () => {
  const labelled = { ...POD, metadata: { ...POD.metadata, labels: { etcd_cluster: "a", team: "b" } } };
  assert.notEqual(stored("pods/a-1", labelled), stored("pods/a-1", POD));
  assert.notEqual(stored("pods/a-1", { ...POD, spec: {} }), stored("pods/a-1", POD));
  assert.notEqual(stored("pods/a-1/status", { ...POD, status: {} }), stored("pods/a-1/status", POD));
});

test("what was refused has stored nothing, and what is gone is gone", () => {
  assert.equal(write("pods/a-1", { statusCode: 409 })?.stored, undefined);
  assert.equal(write("pods/a-1", { object: undefined, method: "DELETE" })?.stored, "gone");
});

test("a pod belongs to the owner that it names, or to the cluster of its label", () => {
  const ownerReferences = [{ apiVersion: "v1", kind: "EtcdBackup", name: "b", uid: "3" }];
  assert.equal(write("pods/a-1")?.owner, "EtcdCluster a");
  const owned = { ...POD, metadata: { ...POD.metadata, ownerReferences } };
  assert.equal(write("pods/a-1", { object: owned })?.owner, "EtcdBackup b");
});

test("an Event is known by what it is about, and a repeated one is no news", () => {
  const event = (count: number) => {
    const about = { involvedObject: { kind: "Pod", name: "a-1" }, reason: "Failed", message: "m", count };
    return write("events", {
      method: "POST",
      object: { ...POD, ...about, metadata: { ...POD.metadata, name: `e${count}` } },
    });
  };
  assert.equal(event(1)?.name, "Failed about Pod a-1");
  assert.deepEqual(event(1), event(2));
});

describe("what the API server answered to a creation", () => {
  const path = "/api/v1/namespaces/tests";
  const answered = (resource: string, statusCode: number, answer: object) =>
    answeredWrite({ atMs: 0, method: "POST", path: `${path}/${resource}`, statusCode, answer: JSON.stringify(answer) });
  const refusal = { apiVersion: "v1", kind: "Status", metadata: {}, details: { name: "a-2", kind: "pods" } };

  test("is the object, with its name and what is stored", () => {
    assert.deepEqual(answered("pods", 201, POD), write("pods", { method: "POST" }));
  });

  test("names the object that is refused, so that several that are refused once each are no loop", () => {
    assert.deepEqual(answered("pods", 403, refusal)?.name, "a-2");
    assert.equal(answered("pods", 403, refusal)?.stored, undefined);
  });

  test("names no Event that is refused: each has another name", () => {
    assert.equal(answered("events", 403, refusal)?.name, "");
  });

  test("is left out where an Event is refused because its namespace is being deleted", () => {
    const going = {
      ...refusal,
      details: { name: "a.1", kind: "events", causes: [{ reason: "NamespaceTerminating" }] },
    };
    assert.equal(answered("events", 403, going), undefined);
    assert.equal(answered("pods", 403, going)?.name, "a.1");
  });

  test("may be no object: then it is known by its path alone", () => {
    const sent = { atMs: 0, method: "PATCH", path: `${path}/pods/a-1`, statusCode: 502 };
    assert.deepEqual(answeredWrite({ ...sent, answer: "bad gateway" }), seenWrite({ ...sent, object: undefined }));
  });
});

test("trials and questions are no writes", () => {
  assert.equal(write("pods/a-1", { method: "GET" }), undefined);
  assert.equal(write("pods/a-1?dryRun=All"), undefined);
});

test.each([
  ["/api/v1/namespaces/tests/pods/a-1/status", { resource: "pods/status", name: "a-1" }],
  ["/apis/apps/v1/namespaces/tests/deployments?limit=1", { resource: "deployments", name: undefined }],
  ["/api/v1/namespaces/tests", { resource: "namespaces", name: "tests" }],
  ["/apis/policy/v1/poddisruptionbudgets", { resource: "poddisruptionbudgets", name: undefined }],
  ["/readyz", undefined],
])("the path %s is of %j", (path, place) => {
  assert.deepEqual(placeOf(path), place);
});

function write(path: string, given: { method?: string; statusCode?: number; object?: APod | undefined } = {}) {
  const sent = { method: "PATCH", statusCode: 200, object: POD, ...given };
  return seenWrite({ ...sent, atMs: 0, path: `/api/v1/namespaces/tests/${path}` });
}

function stored(path: string, object: APod): string | undefined {
  return write(path, { object })?.stored;
}
