import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { importsOf } from "../../../../../test/architecture/imports.ts";
import { guard } from "./guard.ts";
import { exitCodeOf } from "./refusal.ts";

const folder = fileURLToPath(new URL("./", import.meta.url));

describe("the guard", () => {
  test("takes what is on every fresh disk for nothing", async () => {
    const disk = await aFolder();
    await mkdir(join(disk, "lost+found"));
    await mkdir(join(disk, "data/member/snap"), { recursive: true });
    expect(guard(join(disk, "data"), { GUARD_START: "joining", GUARD_CLUSTER_ID: "c1" }).kind).toBe("allowed");
  });

  test.each([
    ["it is not told how the member starts", {}],
    ["an id is no id", { GUARD_START: "returning", GUARD_MEMBER_ID: "nonsense" }],
    ["what its log had cannot be read", { GUARD_START: "returning", GUARD_LOG_REACHED: "nonsense" }],
  ])("judges nothing when %s", async (_, env) => {
    const dataDir = join(await aFolder(), "data");
    expect(() => guard(dataDir, env)).toThrow(/GUARD_/);
  });

  test("judges nothing that it cannot read", async () => {
    const dataDir = await aFolder();
    await writeFile(join(dataDir, "member"), "a file where a folder should be");
    expect(() => guard(dataDir, { GUARD_START: "seed" })).toThrow(/ENOTDIR/);
  });

  test("as a program ends with the code of its refusal and says why", async () => {
    const dataDir = join(await aFolder(), "data");
    const returning = { GUARD_START: "returning", GUARD_MEMBER_ID: "a1", GUARD_CLUSTER_ID: "c1" };
    expect(await run(dataDir, returning)).toEqual({
      code: exitCodeOf("data-gone"),
      stderr: `guard: refused ${dataDir}: empty directory, but this member a1 has joined before\n`,
    });
    expect(await run(dataDir, { GUARD_START: "seed" })).toMatchObject({ code: 0 });
    expect(await run(dataDir, {})).toMatchObject({ code: 1, stderr: expect.stringContaining("could not check") });
  });

  test("brings nothing along but the reading of files", async () => {
    const sources = (await readdir(folder)).filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
    const targets = sources
      .flatMap((name) => importsOf(`packages/operator/src/cluster/guard/${name}`))
      .map(({ to }) => to);
    expect(
      targets.filter((to) => !/^(packages\/operator\/src\/cluster\/guard\/.*|node:fs|node:path)$/.test(to)),
    ).toEqual([]);
  });
});

async function aFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "etcd-guard-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

async function run(dataDir: string, env: Record<string, string>): Promise<{ code: number; stderr: string }> {
  const args = [join(folder, "etcd-guard.ts"), dataDir];
  const ended = promisify(execFile)(process.execPath, args, { env: { PATH: process.env.PATH, ...env } });
  return ended.then(
    ({ stderr }) => ({ code: 0, stderr }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, stderr }),
  );
}
