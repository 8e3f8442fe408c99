import assert from "node:assert/strict";
import { test } from "vitest";
import { problemsOf } from "./pod-rules.ts";

test("a pod as Kubernetes takes it has no problems", () => {
  const pod = {
    metadata: { annotations: { note: "any text" } },
    spec: {
      containers: [{ name: "etcd", env: [{ name: "A", value: "b" }] }],
      nodeSelector: { "kubernetes.io/os": "linux" },
      tolerations: [{ operator: "Exists" }, { key: "a", value: "b", effect: "NoExecute", tolerationSeconds: 1 }],
      topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule" }],
    },
  };
  assert.deepEqual(problemsOf(pod), []);
});

test("what Kubernetes refuses is named by its field", () => {
  const problems = problemsOf({
    metadata: { annotations: { note: "x".repeat(300_000) } },
    spec: {
      containers: [{ name: "etcd", env: [{ name: "a=b" }, { name: "A", valueFrom: {} }] }],
      securityContext: { runAsUser: -1 },
      nodeSelector: { "a b": "x" },
      tolerations: [{}, { key: "a", operator: "Maybe" }],
      topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "", whenUnsatisfiable: "DoNotSchedule" }],
    },
  });
  assert.deepEqual(
    problems.map((problem) => problem.split(": ")[0]),
    [
      "metadata.annotations",
      "spec.securityContext.runAsUser",
      "spec.nodeSelector",
      "spec.tolerations[0].key",
      "spec.tolerations[1].operator",
      "spec.topologySpreadConstraints[0].topologyKey",
      "spec.containers[0].env[0].name",
      "spec.containers[0].env[1].valueFrom",
    ],
  );
});
