import assert from "node:assert/strict";
import { test } from "vitest";
import { parseImageReference } from "./image-reference.ts";

test.each([
  ["etcd", "etcd", "etcd", "latest"],
  ["etcd:v3.5.16", "etcd", "etcd", "v3.5.16"],
  ["quay.io/coreos/etcd:v3.5.16", "quay.io/coreos/etcd", "etcd", "v3.5.16"],
  ["registry.test:5000/team/etcd", "registry.test:5000/team/etcd", "etcd", "latest"],
  ["registry.test:5000/etcd:3.6.1@sha256:0123", "registry.test:5000/etcd", "etcd", "3.6.1"],
])("reads %s", (written, repository, name, tag) => {
  assert.deepEqual(parseImageReference(written), { repository, name, tag });
});
