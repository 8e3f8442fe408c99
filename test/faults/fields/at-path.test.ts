import assert from "node:assert/strict";
import { test } from "vitest";
import { withValue } from "./at-path.ts";

test("a value is put in its place, and blocks on the way are made", () => {
  assert.deepEqual(withValue({ size: 3 }, "pod.resources", { a: 1 }), { size: 3, pod: { resources: { a: 1 } } });
  assert.deepEqual(withValue({ pod: { a: 1, b: 2 } }, "pod.b", 3), { pod: { a: 1, b: 3 } });
});

test("a value inside a list or a map is that of the first entry, or of some key", () => {
  const item = { pod: { tolerations: [{ operator: "Exists" }] } };
  assert.deepEqual(withValue(item, "pod.tolerations[].key", "a"), {
    pod: { tolerations: [{ operator: "Exists", key: "a" }] },
  });
  assert.deepEqual(withValue({}, "etcdEndpoints[]", "a"), { etcdEndpoints: ["a"] });
  assert.deepEqual(withValue({}, "labels{}", "a"), { labels: { team: "a" } });
  assert.deepEqual(withValue({}, "labels{}", "a", "disk"), { labels: { disk: "a" } });
});

test("no value takes a property out, and leaves the spec that was given as it is", () => {
  const spec = { pod: { a: 1, b: 2 } };
  assert.deepEqual(withValue(spec, "pod.b", undefined), { pod: { a: 1 } });
  assert.deepEqual(spec, { pod: { a: 1, b: 2 } });
});
