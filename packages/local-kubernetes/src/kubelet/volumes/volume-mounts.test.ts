import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { test } from "vitest";
import { KubeletError } from "../kubelet-error.ts";
import { containerPath, volumeMounts } from "./volume-mounts.ts";

const volumes = new Map([["data", { source: tmpdir(), isPayload: false, isReadOnly: false }]]);

test("a volume is seen where the container wants it", () => {
  const container = { name: "main", volumeMounts: [{ name: "data", mountPath: "/data", readOnly: true }] };
  const rest = { type: "bind", kind: "directory", isOurs: true };
  assert.deepEqual(volumeMounts(container, volumes), [{ source: tmpdir(), target: "/data", options: ["ro"], ...rest }]);
});

test.each(["subPath", "subPathExpr"])(
  "a mount with a %s is refused: the whole volume would be something else",
  (field) => {
    const container = { name: "main", volumeMounts: [{ name: "data", mountPath: "/data", [field]: "folder" }] };
    const isRefusal = (error: unknown) => error instanceof KubeletError && error.code === "invalid-pod";
    assert.throws(() => volumeMounts(container, volumes), isRefusal);
  },
);

test("a container's path starts at its own root, however many .. it has", () => {
  assert.equal(containerPath("/../../tmp/x"), "/tmp/x");
  assert.equal(containerPath("data/"), "/data");
  assert.equal(containerPath("/"), "/");
});
