import { constants } from "node:fs";
import { mkdtemp, open, readdir, readFile, readlink, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { alignedBuffers } from "./aligned-buffers.ts";
import { WRITE_BYTES, writePastCache } from "./write-file.ts";

const SIZES = [WRITE_BYTES, WRITE_BYTES, WRITE_BYTES, 4096 + 32];

describe("a file that is written past the page cache", () => {
  test("has every byte, also of an end that is no whole block", async () => {
    const opened = await aFile();
    await writePastCache(opened, inTurns(alignedBuffers(WRITE_BYTES), SIZES));
    expect(await asExpected(opened.file, SIZES)).toBe(true);
  });

  test("is open for it while pieces come, and no longer", async () => {
    const opened = await aFile();
    let most = 0;
    async function* watched() {
      for await (const piece of inTurns(alignedBuffers(WRITE_BYTES), SIZES)) {
        yield piece;
        most = Math.max(most, await openPastCache(opened.file));
      }
    }
    await writePastCache(opened, watched());
    expect([most, await openPastCache(opened.file)]).toEqual([1, 0]);
  });

  test("takes the ordinary way when the memory does not lie as it must", async () => {
    const opened = await aFile();
    const memory = Buffer.alloc(2 * WRITE_BYTES + 1);
    const askew: [Buffer, Buffer] = [memory.subarray(1, WRITE_BYTES + 1), memory.subarray(WRITE_BYTES + 1)];
    await writePastCache(opened, inTurns(askew, SIZES));
    expect(await asExpected(opened.file, SIZES)).toBe(true);
  });

  test("passes on why its source ended early, and closes what it opened", async () => {
    const opened = await aFile();
    async function* cut() {
      yield* inTurns(alignedBuffers(WRITE_BYTES), [WRITE_BYTES]);
      throw new Error("cut");
    }
    await expect(writePastCache(opened, cut())).rejects.toThrow("cut");
    expect(await openPastCache(opened.file)).toBe(0);
  });

  test("of nothing is empty", async () => {
    const opened = await aFile();
    await writePastCache(opened, inTurns(alignedBuffers(WRITE_BYTES), []));
    expect(await asExpected(opened.file, [])).toBe(true);
  });
});

/** Piece by piece in two buffers, as the collector does; each has a number of its own in every byte. */
async function* inTurns([filling, resting]: [Buffer, Buffer], sizes: readonly number[]) {
  for (const [index, size] of sizes.entries()) {
    yield (index % 2 === 0 ? filling : resting).fill(index + 1).subarray(0, size);
  }
}

async function asExpected(file: string, sizes: readonly number[]): Promise<boolean> {
  return (await readFile(file)).equals(Buffer.concat(sizes.map((size, index) => Buffer.alloc(size, index + 1))));
}

/** How often this process has it open for writes past the page cache. */
async function openPastCache(file: string): Promise<number> {
  const flags = await Promise.all((await readdir("/proc/self/fd")).map((fd) => flagsOf(fd, file).catch(() => 0)));
  return flags.filter((each) => (each & constants.O_DIRECT) !== 0).length;
}

async function flagsOf(fd: string, file: string): Promise<number> {
  if ((await readlink(`/proc/self/fd/${fd}`)) !== file) return 0;
  const [, flags = "0"] = /^flags:\s*(\d+)/m.exec(await readFile(`/proc/self/fdinfo/${fd}`, "utf8")) ?? [];
  return Number.parseInt(flags, 8);
}

async function aFile() {
  const dir = await mkdtemp(join(tmpdir(), "write-file-"));
  const file = join(dir, "file");
  const handle = await open(file, "w+");
  onTestFinished(async () => {
    await handle.close();
    await rm(dir, { recursive: true });
  });
  return { file, handle };
}
