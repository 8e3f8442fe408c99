import assert from "node:assert/strict";
import type { PodSpec } from "kubernetes-types/core/v1.d.ts";
import { test } from "vitest";
import { restrictedViolations } from "./restricted-profile.ts";

test("a pod that says nothing about security leaves the restricted profile in every point that must be said", () => {
  const violations = restrictedViolations({ containers: [{ name: "plain" }] });
  assert.deepEqual(violations, [
    "runAsNonRoot is not true",
    "seccompProfile is not RuntimeDefault",
    "container plain: allowPrivilegeEscalation is not false",
    "container plain: capabilities are not dropped",
    "container plain: readOnlyRootFilesystem is not true",
    "container plain: cpu and memory are not requested",
    "container plain: memory is not limited",
  ]);
});

test("what a pod takes from its host is seen, in init containers too", () => {
  const pod: PodSpec = {
    hostNetwork: true,
    volumes: [{ name: "host", hostPath: { path: "/" } }],
    initContainers: [{ name: "first", securityContext: { privileged: true, runAsUser: 0 }, ports: [aHostPort()] }],
    containers: [],
  };
  const violations = restrictedViolations(pod);
  for (const expected of [
    "shares a namespace with its host",
    "volume host is of a kind that is not allowed",
    "container first: privileged is true",
    "container first: runs as root",
    "container first: takes a port of its host",
  ]) {
    assert.ok(violations.includes(expected), `no "${expected}" in ${violations.join("; ")}`);
  }
});

function aHostPort() {
  return { containerPort: 80, hostPort: 80 };
}
