import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { etcdBinaries, obtainableVersions } from "./etcd-binaries.ts";

// Nothing but what a test puts there: no tools, so that nothing can be fetched or built.
let home: string;
let env: NodeJS.ProcessEnv;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "etcd-binaries-"));
  env = { XDG_CACHE_HOME: join(home, "cache"), PATH: join(home, "bin") };
});
afterEach(() => rm(home, { recursive: true }));

describe("etcdBinaries", () => {
  test("prefers ETCD_BIN_DIR to the PATH, and the PATH to the cache", async () => {
    const cached = await install("cache/etcd-operator/etcd/3.9.9", { etcd: "3.9.9", etcdctl: "", etcdutl: "" });
    expect(await etcdBinaries("3.9.9", { env })).toEqual({
      version: "3.9.9",
      source: "cache",
      dir: cached,
      etcd: join(cached, "etcd"),
      etcdctl: join(cached, "etcdctl"),
      etcdutl: join(cached, "etcdutl"),
    });
    const onPath = await install("bin", { etcd: "3.9.9", etcdctl: "" });
    expect(await etcdBinaries("3.9.9", { env })).toMatchObject({ source: "PATH", dir: onPath });
    env.ETCD_BIN_DIR = await install("chosen", { etcd: "3.9.9", etcdctl: "" });
    const chosen = await etcdBinaries("v3.9.9", { env });
    expect(chosen).toMatchObject({ source: "ETCD_BIN_DIR", dir: env.ETCD_BIN_DIR });
    expect(chosen).not.toHaveProperty("etcdutl");
  });

  test("passes over folders that hold another version", async () => {
    const cached = await install("cache/etcd-operator/etcd/3.9.9", { etcd: "3.9.9", etcdctl: "" });
    await install("bin", { etcd: "3.9.10", etcdctl: "" });
    env.ETCD_BIN_DIR = await install("chosen", { etcd: "3.9.90", etcdctl: "" });
    expect((await etcdBinaries("3.9.9", { env })).dir).toBe(cached);
  });

  test("says so when ETCD_BIN_DIR holds nothing to use", async () => {
    env.ETCD_BIN_DIR = await install("chosen", { etcd: "3.9.9" });
    const lines: string[] = [];
    const asked = etcdBinaries("3.9.9", { env, log: (line) => lines.push(line) });
    await expect(asked).rejects.toMatchObject({ code: "unobtainable" });
    expect(lines).toEqual([expect.stringContaining(`"${env.ETCD_BIN_DIR}", which holds no working etcd and etcdctl`)]);
  });

  test("does not take a cached folder that is incomplete", async () => {
    await install("cache/etcd-operator/etcd/3.9.9", { etcd: "3.9.9" });
    await expect(etcdBinaries("3.9.9", { env })).rejects.toMatchObject({ code: "unobtainable" });
  });

  test("says what a machine with neither apt nor Go would need", async () => {
    const asked = etcdBinaries("3.4.23", { env });
    await expect(asked).rejects.toMatchObject({ code: "unobtainable", operation: "find etcd 3.4.23" });
    await expect(asked).rejects.toThrow("needs a Debian machine or container: apt-get is not on the PATH");
    await expect(asked).rejects.toThrow(/Could be had too: 3\.5\.\d+, 3\.6\.\d+, 3\.7\.\d+ \(needs Go \S+ or newer/);
  });
});

describe("obtainableVersions", () => {
  test("shows the obstacle of every version that cannot be had yet", async () => {
    await install("bin", { etcd: "3.9.9", etcdctl: "" });
    const offers = await obtainableVersions({ env });
    expect(offers.filter((offer) => !("obstacle" in offer))).toEqual([
      { source: "PATH", version: "3.9.9", dir: join(home, "bin") },
    ]);
    expect(offers.map((offer) => offer.version)).toEqual(expect.arrayContaining(["3.3.25", "3.4.23", "3.5.16"]));
  });

  test("holds what a Go that is too old would need", async () => {
    await script("bin/go", "echo go1.20.3");
    const newest = (await obtainableVersions({ env })).at(-1);
    expect(newest).toMatchObject({ source: "go", obstacle: expect.stringMatching(/^needs Go .* is 1\.20\.3$/) });
  });
});

/** Puts programs into a folder; each, asked for its version, says that it is the etcd given. */
async function install(folder: string, programs: Readonly<Record<string, string>>): Promise<string> {
  for (const [name, version] of Object.entries(programs)) {
    await script(join(folder, name), `echo "etcd Version: ${version}"`);
  }
  return join(home, folder);
}

async function script(path: string, body: string): Promise<void> {
  const file = join(home, path);
  await mkdir(join(file, ".."), { recursive: true });
  await writeFile(file, `#!/bin/sh\n${body}\n`);
  await chmod(file, 0o755);
}
