import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, test } from "vitest";
import { type Import, importsOf, roomOf } from "./imports.ts";
import { PURE, ROOMS } from "./rooms.ts";

const files = typescriptIn("src");
const sources = files.filter((file) => !file.endsWith(".test.ts"));
const imports = sources.flatMap((file) => importsOf(file));

const isOurs = (to: string) => to.startsWith("src/") || to.startsWith("test/") || to.startsWith("scripts/");

describe("the rooms of the design", () => {
  test("every folder under src is a room", () => {
    const unknown = [...new Set(files.map(roomOf))].filter((room) => !ROOMS[room ?? ""]);
    assert.deepEqual(unknown, []);
  });

  test("a room imports only from the rooms it may enter", () => {
    assert.deepEqual(imports.filter(isTrespass).map(arrow), []);
  });

  test("sources never import tests or scripts", () => {
    assert.deepEqual(
      imports.filter(({ to }) => /^(test|scripts|bench)\//.test(to) || to.endsWith(".test.ts")).map(arrow),
      [],
    );
  });

  test("pure files have no effects", () => {
    const impure = sources
      .filter((file) => PURE.some((pattern) => pattern.test(file)))
      .filter((file) =>
        /\basync\b|\bawait\b|Date\.now|new Date\(\)|Math\.random|\bprocess\./.test(readFileSync(file, "utf8")),
      );
    assert.deepEqual(impure, []);
    assert.deepEqual(
      imports.filter(({ from, to }) => PURE.some((pattern) => pattern.test(from)) && to.startsWith("node:")).map(arrow),
      [],
    );
  });

  test("no signal is made by AbortSignal.any, which stays on the list of a parent that never fires", () => {
    const trusting = sources.filter((file) => /AbortSignal\.any\(/.test(readFileSync(file, "utf8")));
    assert.deepEqual(trusting, []);
  });

  test("every exported name of a file is reached by name", () => {
    const defaults = sources.filter((file) => /^export default/m.test(readFileSync(file, "utf8")));
    assert.deepEqual(defaults, []);
  });

  test("no file is longer than 400 lines", () => {
    const long = ["src", "test", "scripts", "bench"]
      .flatMap(typescriptIn)
      .filter((file) => readFileSync(file, "utf8").split("\n").length > 400);
    assert.deepEqual(long, []);
  });
});

describe("the reader of imports", () => {
  test("finds every way to import", () => {
    const source = [
      'import { a } from "./a.ts";',
      'import type { B } from "../etcd/b.ts";',
      'import "reflect-metadata";',
      'export { c } from "./c.ts";',
      "import {",
      "  d,",
      '} from "./d.ts";',
      'const e = await import("./e.ts");',
    ].join("\n");
    const found = importsOf("src/api/x.ts", source).map(({ to }) => to);
    assert.deepEqual(found, [
      "src/api/a.ts",
      "src/etcd/b.ts",
      "reflect-metadata",
      "src/api/c.ts",
      "src/api/d.ts",
      "src/api/e.ts",
    ]);
  });

  test("sees a room that trespasses", () => {
    const [trespass] = importsOf("src/api/x.ts", 'import { b } from "../etcd/b.ts";');
    assert.ok(trespass && isTrespass(trespass));
  });
});

function isTrespass({ from, to }: Import): boolean {
  const [room, other] = [roomOf(from) ?? "", roomOf(to)];
  return isOurs(to) && other !== undefined && other !== room && !ROOMS[room]?.includes(other);
}

function arrow({ from, to }: Import): string {
  return `${from} → ${to}`;
}

function typescriptIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => `${folder}/${path}`)
    .filter((path) => path.endsWith(".ts") && !path.includes("/generated/"));
}
