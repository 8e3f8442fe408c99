import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { isExpectedOfTheIdle, isWrite, requestKind } from "./request-kind.ts";

const ETCD = "/apis/etcd.database.coreos.com/v1beta2/namespaces/scale/etcdclusters";

describe("requests are told apart", () => {
  test.each([
    ["GET", "/api/v1/namespaces/scale/pods?limit=500", "list pods"],
    ["GET", "/api/v1/pods?watch=true&resourceVersion=5", "watch pods"],
    ["GET", "/api/v1/namespaces/scale/secrets/tls", "get secrets"],
    ["GET", "/api/v1/namespaces/scale", "get namespaces"],
    ["POST", `${ETCD}`, "create etcdclusters"],
    ["PUT", `${ETCD}/fleet-00001/status`, "update etcdclusters/status"],
    ["PATCH", "/api/v1/namespaces/scale/pods/fleet-00001-a/status", "patch pods/status"],
    ["PUT", "/apis/coordination.k8s.io/v1/namespaces/scale/leases/etcd-operator-clusters-namespaced", "update leases"],
    ["DELETE", "/apis/policy/v1/namespaces/scale/poddisruptionbudgets/x", "delete poddisruptionbudgets"],
    ["GET", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/a.b", "get customresourcedefinitions"],
  ])("%s %s is %s", (method, url, wanted) => {
    const { verb, resource } = requestKind(method, url);
    assert.equal(`${verb} ${resource}`, wanted);
  });
});

test("an idle operator watches, holds its Leases and reads Secrets, and does nothing else", () => {
  const isExpected = (method: string, url: string) => isExpectedOfTheIdle(requestKind(method, url));
  assert.ok(isExpected("GET", "/api/v1/pods?watch=true"));
  assert.ok(isExpected("PUT", "/apis/coordination.k8s.io/v1/namespaces/a/leases/b"));
  assert.ok(isExpected("GET", "/api/v1/namespaces/a/secrets/b"));
  assert.ok(!isExpected("GET", "/api/v1/namespaces/a/secrets"));
  assert.ok(!isExpected("GET", "/api/v1/namespaces/a/services/b"));
  assert.ok(!isExpected("PUT", `${ETCD}/a/status`));
});

test("what changes something is a write", () => {
  assert.ok(isWrite(requestKind("PATCH", "/api/v1/namespaces/a/pods/b")));
  assert.ok(!isWrite(requestKind("GET", "/api/v1/namespaces/a/pods?watch=1")));
});
