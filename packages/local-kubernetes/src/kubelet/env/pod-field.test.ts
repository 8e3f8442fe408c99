import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { KubeletError } from "../kubelet-error.ts";
import { podField, resourceField } from "./pod-field.ts";

const pod = {
  metadata: {
    name: "a",
    namespace: "ns",
    uid: "u",
    labels: { "app.test/part": "x", b: "1" },
    annotations: { note: 'say "hi"\nthere' },
  },
  spec: { nodeName: "local", serviceAccountName: "sa", containers: [] },
};
const addresses = { podIp: "10.0.0.2", hostIp: "10.0.0.1" };

describe("podField", () => {
  test.each([
    ["metadata.name", "a"],
    ["metadata.namespace", "ns"],
    ["metadata.uid", "u"],
    ["metadata.labels['app.test/part']", "x"],
    ["metadata.labels['none']", ""],
    ["metadata.labels", 'app.test/part="x"\nb="1"'],
    ["metadata.annotations", 'note="say \\"hi\\"\\nthere"'],
    ["spec.nodeName", "local"],
    ["spec.serviceAccountName", "sa"],
    ["status.podIP", "10.0.0.2"],
    ["status.hostIP", "10.0.0.1"],
  ])("%s is %j", (path, expected) => {
    assert.equal(podField(pod, path, addresses), expected);
  });

  test("refuses a path that is no field", () => {
    assert.throws(
      () => podField(pod, "spec.hostname", addresses),
      (error) => error instanceof KubeletError && error.code === "invalid-pod",
    );
  });
});

describe("resourceField", () => {
  const machine = { cpu: 2, memoryBytes: 1024 ** 3 };
  const container = { name: "c", resources: { limits: { cpu: "1500m", memory: "64Mi" }, requests: { cpu: "250m" } } };
  test.each([
    [{ resource: "limits.cpu" }, "2"],
    [{ resource: "limits.cpu", divisor: "1m" }, "1500"],
    [{ resource: "limits.memory", divisor: "1Mi" }, "64"],
    [{ resource: "requests.cpu", divisor: "1m" }, "250"],
    [{ resource: "requests.memory" }, String(64 * 1024 ** 2)],
    [{ resource: "limits.memory", divisor: "0" }, String(64 * 1024 ** 2)],
  ])("%j is %s", (selector, expected) => {
    assert.equal(resourceField(container, selector, machine), expected);
  });

  test("a container without limits is told the machine's size", () => {
    assert.equal(resourceField({ name: "c" }, { resource: "limits.cpu" }, machine), "2");
    assert.equal(resourceField({ name: "c" }, { resource: "requests.cpu" }, machine), "0");
  });
});
