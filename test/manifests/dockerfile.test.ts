import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import {
  copiedFromContext,
  dockerfileStages,
  type Instruction,
  isFrom,
  type Stage,
} from "@etcd-operator/testing/node/images/dockerfile.ts";
import { describe, test } from "vitest";

const source = readFileSync("Dockerfile", "utf8");
const { version, optionalDependencies } = JSON.parse(readFileSync("package.json", "utf8")) as {
  version: string;
  optionalDependencies: Readonly<Record<string, string>>;
};
const stages = dockerfileStages();
const [build, final] = stages as [Stage, Stage];
const instructions = stages.flatMap((stage) => stage.instructions);

describe("the Dockerfile", () => {
  test("builds in one stage and ships another, both on the Node.js that npm brings for all else", () => {
    assert.equal(stages.length, 2);
    assert.equal(build.name, "build");
    const pinned = Object.entries(optionalDependencies).filter(([name]) => name.startsWith("node-"));
    assert.deepEqual(
      pinned.map(([, exact]) => exact),
      pinned.map(() => process.versions.node),
    );
    for (const { base } of stages) assert.match(base, new RegExp(`^node:${process.versions.node}-`));
  });

  test("names its base by digest, the same in both stages, with the tag beside it for readers", () => {
    for (const { base } of stages) assert.match(base, /^node:24\.\d+\.\d+-bookworm-slim@sha256:[0-9a-f]{64}$/);
    assert.equal(build.base, final.base);
  });

  test("fetches nothing but what package-lock.json names, from wherever npm is set up to look", () => {
    assert.deepEqual(
      instructions.filter(({ keyword }) => keyword === "ADD"),
      [],
    );
    const commands = instructions.filter(({ keyword }) => keyword === "RUN").map(({ text }) => text);
    for (const command of commands)
      assert.doesNotMatch(command, /curl|wget|apt|apk|npm (i|install)\b|registry|https?:/);
    assert.ok(commands.includes("npm ci --ignore-scripts"));
  });

  test("copies no file by the name of an architecture", () => {
    assert.doesNotMatch(source.replace(/^#.*$/gm, ""), /amd64|arm64|x86_64|aarch64/);
  });

  test("names the version of package.json wherever it names one", () => {
    const named = source.match(/(?<=image\.version="|etcd-operator:v)[\w.-]+/g);
    assert.deepEqual(named, [version, version]);
  });
});

describe("the final image", () => {
  test("runs as a user that is a number and not root", () => {
    const [user = "", group = ""] = last("USER").text.split(":");
    assert.match(user, /^[1-9]\d*$/);
    assert.match(group, /^[1-9]\d*$/);
  });

  test("runs nothing while it is built, so that no emulation is needed for another architecture", () => {
    assert.deepEqual(
      final.instructions.filter(({ keyword }) => keyword === "RUN"),
      [],
    );
  });

  test("holds nothing beyond its base but what the build stage laid out for it", () => {
    const copies = final.instructions.filter(({ keyword }) => keyword === "COPY");
    assert.deepEqual(
      copies.map(({ flags, words }) => [flags.filter(isFrom), words]),
      [[["--from=build"], ["/image/", "/"]]],
    );
  });

  test("starts the operator", () => {
    assert.equal(last("ENTRYPOINT").text, '["etcd-operator"]');
  });

  function last(keyword: string): Instruction {
    const found = final.instructions.findLast((instruction) => instruction.keyword === keyword);
    return found ?? assert.fail(`no ${keyword}`);
  }
});

test(".dockerignore lets through what is copied, and nothing else", () => {
  const lines = readFileSync(".dockerignore", "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  assert.equal(lines[0], "*");
  const admitted = lines.filter((line) => line.startsWith("!")).map((line) => line.slice(1));
  const copied = copiedFromContext(build).map((path) => path.replace(/\/$/, ""));
  assert.deepEqual(admitted.toSorted(), copied.toSorted());
  for (const path of copied) assert.ok(existsSync(path), `${path} is not there`);
});
