import assert from "node:assert/strict";
import { EtcdError, type EtcdErrorCode } from "@etcd-operator/etcd-client";
import { KubernetesError, type KubernetesErrorCode } from "@etcd-operator/kubernetes-client";
import { ObjectStoreError, type ObjectStoreErrorCode } from "@etcd-operator/object-store";
import { test } from "vitest";
import { explained, needsFix } from "./failure.ts";
import { SnapshotError, type SnapshotErrorCode } from "./snapshot-error.ts";

const store = (code: ObjectStoreErrorCode) => new ObjectStoreError(code, { operation: "put", message: "x" });
const etcd = (code: EtcdErrorCode) => new EtcdError(code, { operation: "status", endpoint: "a", reason: "x" });
const kube = (code: KubernetesErrorCode) => new KubernetesError(code, { operation: "GET", message: "x" });
const own = (code: SnapshotErrorCode) => new SnapshotError(code, "x");

test.each([
  store("no-such-bucket"),
  store("access-denied"),
  store("bad-credentials"),
  store("full"),
  etcd("tls"),
  etcd("auth"),
  kube("not-found"),
  kube("forbidden"),
  own("no-cluster"),
  own("bad-certificate"),
])("$name '$code' stays until it is fixed", (error) => assert.equal(needsFix(error), true));

test.each([
  store("unavailable"),
  store("corrupt"),
  store("unknown"),
  etcd("unavailable"),
  etcd("deadline"),
  etcd("no-leader"),
  kube("unavailable"),
  kube("timeout"),
  own("no-member"),
  own("damaged"),
  own("not-as-sent"),
  own("stalled"),
  own("timeout"),
  new Error("whatever"),
])("$name '$code' may pass by itself", (error) => assert.equal(needsFix(error), false));

test("what is no error at all may pass, too", () => assert.equal(needsFix("text"), false));

test("what etcd refuses says what to do about it; what others refuse says so itself", () => {
  assert.match(explained(etcd("tls")), /^status on etcd a failed: x: check that spec.clientTLSSecret/);
  assert.match(explained(etcd("auth")), /a user with the role root$/);
  assert.equal(explained(etcd("unavailable")), "status on etcd a failed: x");
  assert.equal(explained(store("full")), "put: x");
  assert.equal(explained("text"), "text");
});
