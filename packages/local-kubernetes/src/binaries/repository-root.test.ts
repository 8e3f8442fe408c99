import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryRoot } from "./repository-root.ts";

test("finds the repository from this source file", () => {
  expect(existsSync(join(repositoryRoot() ?? "", "tools", "etcd-3.6", "go.mod"))).toBe(true);
});

test("finds the repository from a bundle in dist/", () => {
  const root = repositoryRoot() ?? "";
  expect(repositoryRoot(join(root, "dist", "etcd-binaries.mjs"))).toBe(root);
});

test("finds nothing where no lock file is above", () => {
  expect(repositoryRoot("/nowhere/at/all.mjs")).toBeUndefined();
});
