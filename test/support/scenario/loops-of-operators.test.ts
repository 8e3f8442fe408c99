import assert from "node:assert/strict";
import { test } from "vitest";
import { loopsOfOperators } from "./loops-of-operators.ts";

const SERVICE = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "a-client", uid: "1" },
  spec: { type: "ClusterIP" },
};

test("an audit log in which an operator patches the same again and again has a loop", () => {
  const found = loopsOfOperators(lines(9, { userAgent: "etcd-operator/1.0" }));
  assert.deepEqual(found, [
    "etcd-operator/1.0 in 'default': a loop: PATCH services a-client, 8 times within 10 s without progress",
  ]);
});

test("what others write is no loop of an operator", () => {
  assert.deepEqual(loopsOfOperators(lines(9, { userAgent: "scenario" })), []);
});

test("patches of objects of one name in different namespaces are told apart", () => {
  const path = (namespace: string) => `/api/v1/namespaces/${namespace}/services/a-client`;
  const spread = ["a", "b", "c"].flatMap((each) => lines(3, { userAgent: "etcd-operator/1.0", path: path(each) }));
  assert.deepEqual(loopsOfOperators(spread), []);
});

test("patches that are refused are a loop, too", () => {
  const answer = JSON.stringify({ kind: "Status", apiVersion: "v1", metadata: {}, code: 403 });
  assert.equal(loopsOfOperators(lines(9, { userAgent: "etcd-operator/1.0", statusCode: 403, answer })).length, 1);
});

function lines(count: number, more: { userAgent: string; path?: string; statusCode?: number; answer?: string }) {
  const path = "/api/v1/namespaces/default/services/a-client";
  const line = { method: "PATCH", path, statusCode: 200, answer: JSON.stringify(SERVICE), ...more };
  return Array.from({ length: count }, (_, at) => JSON.stringify({ ...line, atMs: at * 1_000 }));
}
