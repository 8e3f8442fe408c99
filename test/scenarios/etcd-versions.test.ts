import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { etcdBinaries, obstacleOf, obtainableVersions } from "@etcd-operator/local-kubernetes";
import { startEtcd } from "@etcd-operator/testing/etcd-process.ts";
import { describe, expect, onTestFinished, test } from "vitest";

const program = fileURLToPath(
  new URL("../../packages/local-kubernetes/src/binaries/etcd-binaries-program.ts", import.meta.url),
);
const asProgram = [process.execPath, program] as const;
const run = promisify(execFile);

// The first run on a machine downloads and compiles; every later one finds the cache filled.
const firstRunMs = 15 * 60_000;

const offers = await obtainableVersions();
const cutOff = await networkCutter();

describe("every etcd version that can be had runs", () => {
  for (const offer of offers) {
    const obstacle = obstacleOf(offer);
    const name = `etcd ${offer.version} starts, and its own etcdctl writes and reads a key`;
    test.skipIf(obstacle)(obstacle ? `${name} (skipped: ${obstacle})` : name, { timeout: firstRunMs }, async () => {
      const etcd = await startEtcd({ version: offer.version });
      onTestFinished(() => etcd.stop());
      const { etcdserver } = (await (await fetch(`${etcd.clientUrl}/version`)).json()) as { etcdserver: string };
      expect(etcdserver).toBe(offer.version);
      await etcd.etcdctl("put", "greeting", `hello from ${offer.version}`);
      expect(await etcd.etcdctl("get", "greeting", "--print-value-only")).toBe(`hello from ${offer.version}\n`);
    });
  }

  test("the versions of the four Debian releases and the newest 3.5, 3.6 and 3.7 are among them", () => {
    const versions = offers.map((offer) => offer.version);
    expect(versions).toEqual(expect.arrayContaining(["3.3.25", "3.4.23", "3.5.16", "3.5.30"]));
    expect(versions).toEqual(expect.arrayContaining(["3.5", "3.6", "3.7"].map(startsWith)));
  });
});

describe("the etcd-binaries program", () => {
  test("refuses a version that cannot be had, and lists those that can", async () => {
    const failure: unknown = await runProgram(["--print-path", "3.2.13"]).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 1, stdout: "" });
    const { stderr } = failure as { stderr: string };
    expect(stderr).toContain("etcd 3.2.13 cannot be had on this machine.");
    expect(stderr).toContain("set ETCD_BIN_DIR");
    for (const offer of offers) expect(stderr).toContain(offer.version);
  });

  test("prints the folders in the order asked for, and nothing else", { timeout: firstRunMs }, async () => {
    const [older, newer] = [await etcdBinaries("3.4.23"), await etcdBinaries("3.5.16")];
    const { stdout } = await runProgram(["--print-path", "v3.5.16", "3.4.23"]);
    expect(stdout).toBe(`${newer.dir}\n${older.dir}\n`);
  });

  test("takes the binaries in ETCD_BIN_DIR first, and needs no cache then", { timeout: firstRunMs }, async () => {
    const { dir } = await etcdBinaries("3.4.23");
    const emptyCache = await aTemporaryFolder();
    const env = { ...process.env, ETCD_BIN_DIR: dir, XDG_CACHE_HOME: emptyCache };
    const { stdout } = await runProgram(["3.4.23"], env);
    expect(stdout).toBe(`etcd and etcdctl 3.4.23 are in ${dir} (ETCD_BIN_DIR)\n`);
  });

  test.skipIf(!cutOff)(
    `finds a cached version without any network${cutOff ? "" : " (skipped: may not make a network namespace here)"}`,
    { timeout: firstRunMs },
    async () => {
      const { dir } = await etcdBinaries("3.4.23");
      const [command = "", ...args] = [...(cutOff ?? []), ...asProgram, "--print-path", "3.4.23"];
      expect((await run(command, args)).stdout).toBe(`${dir}\n`);
    },
  );
});

describe("startEtcd", () => {
  test("leaves no etcd behind when the process that started it is killed", { timeout: firstRunMs }, async () => {
    await etcdBinaries("3.4.23");
    const support = new URL("../../packages/testing/src/etcd-process.ts", import.meta.url).href;
    const script = `
      import { startEtcd } from ${JSON.stringify(support)};
      const { pid, dir } = await startEtcd({ version: "3.4.23" });
      console.log(JSON.stringify({ pid, dir }));
      setInterval(() => {}, 1000);
    `;
    const starter = spawn(process.execPath, ["--input-type=module", "--eval", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = (await once(starter.stdout, "data")) as [Buffer];
    const { pid, dir } = JSON.parse(line.toString()) as { pid: number; dir: string };
    onTestFinished(() => rm(dir, { recursive: true, force: true }));
    starter.kill("SIGKILL");
    await expect.poll(() => isRunning(pid), { timeout: 10_000 }).toBe(false);
  });
});

function startsWith(minor: string): unknown {
  return expect.stringMatching(new RegExp(`^${minor.replace(".", "\\.")}\\.`));
}

async function runProgram(args: readonly string[], env: NodeJS.ProcessEnv = process.env) {
  const [command, ...rest] = asProgram;
  return run(command, [...rest, ...args], { env });
}

async function aTemporaryFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "etcd-versions-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

/** The command that runs another one with no network at all; nothing where that is not allowed. */
async function networkCutter(): Promise<readonly string[] | undefined> {
  for (const command of [
    ["unshare", "--net"],
    ["unshare", "--map-root-user", "--net"],
  ] as const) {
    const [unshare, ...args] = command;
    const allowed = await run(unshare, [...args, "true"]).then(
      () => true,
      () => false,
    );
    if (allowed) return command;
  }
  return undefined;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
