import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, test } from "vitest";
import { type Import, importsOf, packageOf, roomOf } from "./imports.ts";
import { PACKAGES, PURE, ROOMS } from "./rooms.ts";

const files = typescriptIn("packages");
const sources = files.filter((file) => !file.endsWith(".test.ts") && !file.includes("/conformance/"));
const imports = sources.flatMap((file) => importsOf(file));
const product = imports.filter(({ from }) => packageOf(from) !== "testing");

describe("the packages of the design", () => {
  test("every folder under packages is one of them", () => {
    assert.deepEqual(readdirSync("packages").sort(), Object.keys(PACKAGES).sort());
  });

  test("a package imports only from those it may", () => {
    assert.deepEqual(imports.filter(isTrespass).map(arrow), []);
  });

  test("a package is imported by its name, and what it shows to others stands in its index.ts", () => {
    const deep = product.filter(
      ({ from, to, specifier }) => isOtherPackage({ from, to }) && !/^@etcd-operator\/[\w-]+$/.test(specifier),
    );
    assert.deepEqual(deep.map(arrow), []);
  });

  test.each(Object.keys(PACKAGES))("the manifest of %s names what it imports, and nothing else", (name) => {
    const own = JSON.parse(readFileSync(`packages/${name}/package.json`, "utf8")) as Record<string, object>;
    const named = (list: readonly Import[]) =>
      [...new Set(list.map(({ specifier }) => packageNamed(specifier)))].filter((it) => it !== undefined).sort();
    const ofIt = imports.filter(({ from }) => packageOf(from) === name);
    const needed = named(ofIt).filter((it) => it !== `@etcd-operator/${name}` && !TYPES_ONLY.includes(it));
    assert.deepEqual(Object.keys(own.dependencies ?? {}).sort(), needed);
  });

  test("sources never import tests or scripts", () => {
    const isOutside = ({ to }: Import) => /^(test|scripts|bench)\//.test(to) || to.endsWith(".test.ts");
    assert.deepEqual(product.filter(isOutside).map(arrow), []);
  });
});

describe("the rooms of the operator", () => {
  test("every folder of it is a room", () => {
    const rooms = readdirSync("packages/operator/src", { withFileTypes: true }).filter((entry) => entry.isDirectory());
    assert.deepEqual(rooms.map(({ name }) => name).sort(), Object.keys(ROOMS).sort());
  });

  test("a room imports only from the rooms it may enter", () => {
    const isWrongRoom = ({ from, to }: Import) => {
      const [room, other] = [roomOf(from), roomOf(to)];
      return room !== undefined && other !== undefined && other !== room && !ROOMS[room]?.includes(other);
    };
    assert.deepEqual(imports.filter(isWrongRoom).map(arrow), []);
  });

  test("pure files have no effects", () => {
    const isPure = (file: string) => PURE.some((pattern) => pattern.test(file));
    const impure = sources
      .filter(isPure)
      .filter((file) =>
        /\basync\b|\bawait\b|Date\.now|new Date\(\)|Math\.random|\bprocess\./.test(readFileSync(file, "utf8")),
      );
    assert.deepEqual(impure, []);
    assert.deepEqual(imports.filter(({ from, to }) => isPure(from) && to.startsWith("node:")).map(arrow), []);
  });
});

describe("all sources", () => {
  test("reach every exported name by name", () => {
    const defaults = sources.filter((file) => /^export default/m.test(readFileSync(file, "utf8")));
    assert.deepEqual(defaults, ["packages/testing/src/totals-reporter.ts"]);
  });

  test("have no file that is longer than 400 lines", () => {
    const long = ["packages", "test", "scripts", "bench"]
      .flatMap(typescriptIn)
      .filter((file) => readFileSync(file, "utf8").split("\n").length > 400);
    assert.deepEqual(long, []);
  });

  test("are found at the end of every import", () => {
    const lost = imports.filter(({ to }) => /^(packages|test)\//.test(to) && !existsSync(to));
    assert.deepEqual(lost.map(arrow), []);
  });
});

describe("the reader of imports", () => {
  test("finds every way to import", () => {
    const source = [
      'import { a } from "./a.ts";',
      'import type { B } from "@etcd-operator/etcd-client";',
      'import "reflect-metadata";',
      'export { c } from "./c.ts";',
      "import {",
      "  d,",
      '} from "./d.ts";',
      'const e = await import("./e.ts");',
    ].join("\n");
    const found = importsOf("packages/operator/src/api/x.ts", source).map(({ to }) => to);
    assert.deepEqual(found, [
      "packages/operator/src/api/a.ts",
      "packages/etcd-client/src/index.ts",
      "reflect-metadata",
      "packages/operator/src/api/c.ts",
      "packages/operator/src/api/d.ts",
      "packages/operator/src/api/e.ts",
    ]);
  });

  test("sees a package that trespasses", () => {
    const [trespass] = importsOf(
      "packages/etcd-client/src/x.ts",
      'import { b } from "@etcd-operator/kubernetes-client";',
    );
    assert.ok(trespass && isTrespass(trespass));
  });
});

/** Packages of which only types are used; they bring no code. */
const TYPES_ONLY = ["kubernetes-types"];

function isTrespass({ from, to }: Import): boolean {
  const [own, other] = [packageOf(from) ?? "", packageOf(to)];
  return isOtherPackage({ from, to }) && !PACKAGES[own]?.includes(other ?? "");
}

function isOtherPackage({ from, to }: Pick<Import, "from" | "to">): boolean {
  const other = packageOf(to);
  return other !== undefined && other !== packageOf(from);
}

function packageNamed(specifier: string): string | undefined {
  if (/^\.|^node:/.test(specifier)) return undefined;
  return /^(@[^/]+\/[^/]+|[^/]+)/.exec(specifier)?.[1];
}

function arrow({ from, to }: Pick<Import, "from" | "to">): string {
  return `${from} → ${to}`;
}

function typescriptIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => `${folder}/${path}`)
    .filter((path) => path.endsWith(".ts") && !/\/(generated|node_modules)\//.test(path));
}
