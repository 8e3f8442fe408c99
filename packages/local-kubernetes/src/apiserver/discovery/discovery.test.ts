import assert from "node:assert/strict";
import { test } from "vitest";
import { byMaturity } from "./discovery.ts";

test("versions are ordered by how mature they are", () => {
  const versions = ["v1alpha1", "foo10", "v1", "v2beta1", "v10", "v1beta2", "v2", "foo1", "v11alpha2"];
  assert.deepEqual(versions.toSorted(byMaturity), [
    ...["v10", "v2", "v1", "v2beta1", "v1beta2", "v11alpha2", "v1alpha1", "foo1", "foo10"],
  ]);
});
