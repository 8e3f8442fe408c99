import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageRoot } from "./package-root.ts";

test("finds the repository from this source file", () => {
  expect(existsSync(join(packageRoot() ?? "", "tools", "etcd-3.6", "go.mod"))).toBe(true);
});

test("finds the repository from a bundle in dist/", () => {
  const root = packageRoot() ?? "";
  expect(packageRoot(join(root, "dist", "etcd-binaries.mjs"))).toBe(root);
});

test("finds nothing where no package.json is above", () => {
  expect(packageRoot("/nowhere/at/all.mjs")).toBeUndefined();
});
