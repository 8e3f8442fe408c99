import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findingsIn } from "@etcd-operator/operator/cli/manifest-findings.ts";
import { describe, test } from "vitest";
import { PACKAGES } from "./rooms.ts";

const tracked = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" })
  .trim()
  .split("\n")
  .filter((file) => existsSync(file));
const documents = tracked.filter((file) => file.endsWith(".md"));

/** The root's and those of the packages. */
const packages = tracked
  .filter((file) => /^(packages\/[\w-]+\/)?package\.json$/.test(file))
  .map((file) => JSON.parse(readFileSync(file, "utf8")) as Record<string, Record<string, string> | undefined>);

/** Documents that lead through the sources, and the folders that their paths begin in. */
const walks = [
  { document: "docs/architecture.md", folders: [".", "packages/operator/src"] },
  ...Object.keys(PACKAGES).map((name) => ({
    document: `packages/${name}/README.md`,
    folders: [`packages/${name}/src`, "."],
  })),
];

describe("the documents are true", () => {
  test.each(documents)("every YAML of ours in %s is one that the operator takes", (document) => {
    const blocks = readFileSync(document, "utf8").matchAll(/^```ya?ml\n([\s\S]*?)^```/gm);
    const ours = [...blocks].map(([, yaml = ""]) => yaml).filter((yaml) => yaml.includes("etcd.database.coreos.com/"));
    assert.deepEqual(ours.flatMap(findingsIn), []);
  });

  test.each(documents)("every link in %s leads to a file", (document) => {
    const links = [...readFileSync(document, "utf8").matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g)];
    const broken = links.map(([, to = ""]) => join(dirname(document), to)).filter((path) => !existsSync(path));
    assert.deepEqual(broken, []);
  });

  test.each(walks)("every file that $document names is there", ({ document, folders }) => {
    const named = [...readFileSync(document, "utf8").matchAll(/`([\w-][\w./-]*\.(?:ts|ya?ml|md))`/g)];
    const lost = named.map(([, path = ""]) => path).filter((path) => !folders.some((at) => existsSync(join(at, path))));
    assert.deepEqual(lost, []);
  });

  test("the picture of the packages has the arrows that are enforced", () => {
    const [picture = ""] = /flowchart TD[^`]*/.exec(readFileSync("docs/architecture.md", "utf8")) ?? [];
    const drawn = [...picture.matchAll(/^ *([\w-]+) --> ([\w-]+)$/gm)].map(([, from, to]) => `${from} → ${to}`);
    const { testing: _, ...others } = PACKAGES;
    const enforced = Object.entries(others).flatMap(([from, all]) => all.map((to) => `${from} → ${to}`));
    assert.deepEqual(drawn.sort(), enforced.sort());
  });

  test("both READMEs have the same sections, with the same commands and links in each", () => {
    const english = outlineOf("README.md");
    assert.deepEqual(outlineOf("README.zh-CN.md"), english);
    assert.ok(english.length > 5 && english.flatMap(({ blocks }) => blocks).length > 8);
  });

  test("every production dependency has its reason on record", () => {
    const reasons = readFileSync("docs/decisions/0004-production-dependencies.md", "utf8");
    assert.deepEqual(
      packages
        .filter(({ name }) => String(name) !== "@etcd-operator/testing")
        .flatMap(({ dependencies = {} }) => Object.keys(dependencies))
        .filter((name) => !name.startsWith("@etcd-operator/") && !reasons.includes(`\`${name}\``)),
      [],
    );
  });

  test("dependencies are pinned to exact versions, and the lock file names no download address", () => {
    const versions = packages.flatMap((pack) =>
      Object.values({ ...pack.dependencies, ...pack.devDependencies, ...pack.optionalDependencies }),
    );
    assert.deepEqual(
      versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(version)),
      [],
    );
    assert.ok(!/"resolved": "(?!packages\/)/.test(readFileSync("package-lock.json", "utf8")));
  });
});

/**
 * What two translations of a document have in common: per heading its level, the blocks without comments, and where
 * links lead.
 */
function outlineOf(document: string) {
  const sections = readFileSync(document, "utf8").split(/^(?=#+ )/m);
  return sections.map((section) => ({
    level: /^#*/.exec(withoutBlocks(section))?.[0].length,
    blocks: [...section.matchAll(BLOCK)].map(([block]) => block.replaceAll(/ +# .*$/gm, "")),
    links: [...withoutBlocks(section).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, to = ""]) => to.replace(/^README.*/, "README"))
      .sort(),
    rows: withoutBlocks(section).match(/^\|/gm)?.length ?? 0,
  }));
}

const BLOCK = /^( *)```[\s\S]*?^\1```$/gm;

function withoutBlocks(text: string): string {
  return text.replaceAll(BLOCK, "");
}
