import { spawn } from "node:child_process";
import { once } from "node:events";
import { access, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fillOnce } from "./cached-folder.ts";

let parent: string;
let folder: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "cached-folder-"));
  folder = join(parent, "cache", "3.4.23");
});
afterEach(() => rm(parent, { recursive: true }));

const WHAT = { what: "etcd 3.4.23", env: {} };

describe("fillOnce", () => {
  test("neither fetches nor builds while tests run, and names the command that does", async () => {
    const fill = () => Promise.reject(new Error("was asked to work"));
    const env = { ETCD_OPERATOR_FETCH: "never" };
    const refused = fillOnce(folder, { ...WHAT, env, isComplete, fill });
    await expect(refused).rejects.toMatchObject({
      code: "not-prepared",
      message: expect.stringContaining("make prepare"),
    });
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "etcd"), "earlier");
    await fillOnce(folder, { ...WHAT, env, isComplete, fill });
  });

  test("keeps the result, and nothing of the work", async () => {
    await fillOnce(folder, {
      ...WHAT,
      isComplete,
      fill: async ({ scratch, result }) => {
        await writeFile(join(scratch, "download"), "large");
        await writeFile(join(result, "etcd"), "binary");
      },
    });
    expect(await readFile(join(folder, "etcd"), "utf8")).toBe("binary");
    expect(await foldersIn(join(parent, "cache"))).toEqual(["3.4.23"]);
  });

  test("does not work when the folder is complete", async () => {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "etcd"), "earlier");
    await fillOnce(folder, { ...WHAT, isComplete, fill: () => Promise.reject(new Error("was asked to work")) });
    expect(await readFile(join(folder, "etcd"), "utf8")).toBe("earlier");
  });

  test("replaces a folder that is incomplete", async () => {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "stray"), "");
    await fillOnce(folder, { ...WHAT, isComplete, fill: ({ result }) => writeFile(join(result, "etcd"), "binary") });
    expect(await readdir(folder)).toEqual(["etcd"]);
  });

  test("leaves nothing behind when the work fails, and the next one succeeds", async () => {
    const failure = new Error("no network");
    await expect(fillOnce(folder, { ...WHAT, isComplete, fill: () => Promise.reject(failure) })).rejects.toBe(failure);
    expect(await foldersIn(join(parent, "cache"))).toEqual([]);
    await fillOnce(folder, { ...WHAT, isComplete, fill: ({ result }) => writeFile(join(result, "etcd"), "binary") });
    expect(await isComplete(folder)).toBe(true);
  });

  test("does the work once when two processes ask at the same time", async () => {
    const runs = [startFiller("one"), startFiller("two")];
    await Promise.all(["asked-one", "asked-two", "started"].map((name) => untilExists(join(parent, name))));
    await writeFile(join(parent, "go"), "");
    expect(await Promise.all(runs.map(exitCodeOf))).toEqual([0, 0]);
    const log = (await readFile(join(parent, "log"), "utf8")).trim().split("\n").sort();
    expect(log).toEqual([`complete ${folder}`, `complete ${folder}`, "filled"]);
  });

  test("takes over from a process that was killed at work, and removes what it left", async () => {
    const killed = startFiller();
    await untilExists(join(parent, "started"));
    expect((await foldersIn(join(parent, "cache")))[0]).toMatch(/^\.3\.4\.23\.partial-/);
    killed.kill("SIGKILL");
    await exitCodeOf(killed);
    await fillOnce(folder, { ...WHAT, isComplete, fill: ({ result }) => writeFile(join(result, "etcd"), "binary") });
    expect(await foldersIn(join(parent, "cache"))).toEqual(["3.4.23"]);
  });

  test("stops waiting for the other process when told to", async () => {
    const other = startFiller();
    await untilExists(join(parent, "started"));
    const controller = new AbortController();
    const waiting = fillOnce(folder, {
      ...WHAT,
      isComplete,
      fill: () => Promise.reject(new Error("was asked to work")),
      signal: controller.signal,
      onWait: () => controller.abort(),
    });
    await expect(waiting).rejects.toMatchObject({ code: "aborted" });
    other.kill("SIGKILL");
    await exitCodeOf(other);
  });
});

async function isComplete(dir: string): Promise<boolean> {
  return exists(join(dir, "etcd"));
}

async function foldersIn(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}

/** A process of its own that fills the folder: it says when it has started, and goes on when `go` appears. */
function startFiller(name = "one") {
  const program = `
    import { appendFile, access, writeFile } from "node:fs/promises";
    import { fillOnce } from ${JSON.stringify(new URL("./cached-folder.ts", import.meta.url).href)};
    const [parent, folder] = ${JSON.stringify([parent, folder])};
    const exists = (path) => access(path).then(() => true, () => false);
    await writeFile(parent + "/asked-${name}", "");
    await fillOnce(folder, {
      ...${JSON.stringify(WHAT)},
      isComplete: (dir) => exists(dir + "/etcd"),
      fill: async ({ result }) => {
        await writeFile(parent + "/started", "");
        while (!(await exists(parent + "/go"))) await new Promise((resolve) => setTimeout(resolve, 10));
        await appendFile(parent + "/log", "filled\\n");
        await writeFile(result + "/etcd", "binary");
      },
    });
    if (await exists(folder + "/etcd")) await appendFile(parent + "/log", "complete " + folder + "\\n");
  `;
  return spawn(process.execPath, ["--input-type=module", "--eval", program], {
    stdio: ["ignore", "inherit", "inherit"],
  });
}

async function exitCodeOf(child: ReturnType<typeof startFiller>): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  return child.exitCode;
}

async function untilExists(path: string): Promise<void> {
  while (!(await exists(path))) await new Promise((resolve) => setTimeout(resolve, 10));
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
