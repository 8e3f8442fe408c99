import { expect, test } from "vitest";
import { pullSecrets } from "./pull-secrets.ts";

test("a pod's images are pulled with everything that is given, each once", () => {
  const given = [
    [{ name: "of-cluster" }, { name: "shared" }],
    undefined,
    [{ name: "shared" }, {}, { name: "of-operator" }],
  ];
  expect(pullSecrets(...given).imagePullSecrets).toEqual([
    { name: "of-cluster" },
    { name: "shared" },
    { name: "of-operator" },
  ]);
});

test("a pod that is given none has those of its ServiceAccount", () => {
  expect(pullSecrets(undefined, [])).toEqual({});
});
