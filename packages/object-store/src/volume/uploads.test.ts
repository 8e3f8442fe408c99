import { mkdtemp, readdir, readFile, rename, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { Uploads } from "./uploads.ts";
import { workerErrorOf } from "./worker-error.ts";

const ID = "0123456789abcdef0123456789abcdef";

test("blocks may come twice, in pieces, and out of order after the first", async () => {
  const { uploads, made } = await someUploads();
  await uploads.write(ID, 0, pieces("ab", "", "cd"));
  await uploads.write(ID, 6, pieces("gh"));
  await uploads.write(ID, 4, pieces("ef"));
  await uploads.write(ID, 4, pieces("e", "f"));
  expect(await uploads.finish(ID, 8, made)).toBe("abcdefgh");
});

test("a block larger than one write arrives whole", async () => {
  const { uploads, made } = await someUploads();
  const words = "0123456789abcdef".repeat(5 << 14);
  await uploads.write(ID, 0, pieces(...(words.match(/.{1,50000}/g) ?? [])));
  expect(await uploads.finish(ID, words.length, made)).toBe(words);
});

test("nothing can be begun in the middle: what came before it would be missing", async () => {
  const { uploads, left } = await someUploads();
  expect(await codeOf(uploads.write(ID, 4, pieces("ef")))).toBe("unknown");
  expect(await left()).toEqual([]);
});

describe("an upload that is finished", () => {
  test("is made an object once, and everybody who asks is told", async () => {
    const { uploads, made } = await someUploads();
    await uploads.write(ID, 0, pieces("ab"));
    const answers = await Promise.all([uploads.finish(ID, 2, made), uploads.finish(ID, 2, made)]);
    expect([...answers, await uploads.finish(ID, 2, made)]).toEqual(["ab", "ab", "ab"]);
  });

  test("takes no further block", async () => {
    const { uploads, made } = await someUploads();
    await uploads.write(ID, 0, pieces("ab"));
    await uploads.finish(ID, 2, made);
    expect(await codeOf(uploads.write(ID, 2, pieces("cd")))).toBe("unknown");
    expect(await codeOf(uploads.write(ID, 0, pieces("cd")))).toBe("unknown");
  });

  test("of another size than announced is refused and removed", async () => {
    const { uploads, made, left } = await someUploads();
    await uploads.write(ID, 0, pieces("ab"));
    expect(await codeOf(uploads.finish(ID, 3, made))).toBe("corrupt");
    expect(await left()).toEqual([]);
  });

  test("that is not what it should be is removed", async () => {
    const { uploads, made, left } = await someUploads();
    await uploads.write(ID, 0, pieces("ab"));
    const verify = () => Promise.reject(new Error("wrong"));
    expect(await codeOf(uploads.finish(ID, 2, { ...made, verify }))).toBe("unknown");
    expect(await left()).toEqual([]);
  });
});

describe("an upload that is called off", () => {
  test("is removed, and stays so when a block comes late", async () => {
    const { uploads, left, made } = await someUploads();
    await uploads.write(ID, 0, pieces("ab"));
    await uploads.cancel(ID);
    expect(await codeOf(uploads.write(ID, 0, pieces("ab")))).toBe("unknown");
    expect(await codeOf(uploads.finish(ID, 2, made))).toBe("unknown");
    expect(await left()).toEqual([]);
  });

  test("before its first block came cannot be begun", async () => {
    const { uploads, left } = await someUploads();
    await uploads.cancel(ID);
    expect(await codeOf(uploads.write(ID, 0, pieces("ab")))).toBe("unknown");
    expect(await left()).toEqual([]);
  });

  test("while a block is being written is removed all the same", async () => {
    const { uploads, left } = await someUploads();
    let goOn = () => {};
    const waits = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    async function* block() {
      yield Buffer.from("ab");
      await waits;
      yield Buffer.from("cd");
    }
    const writing = codeOf(uploads.write(ID, 0, block()));
    await uploads.cancel(ID);
    goOn();
    expect(await writing).not.toBe("none");
    expect(await left()).toEqual([]);
  });

  test("while it is verified becomes no object", async () => {
    const { uploads, made, left } = await someUploads();
    await uploads.write(ID, 0, pieces("ab"));
    let canceled: Promise<unknown> = Promise.resolve();
    const verify = async () => {
      canceled = uploads.cancel(ID);
    };
    expect(await codeOf(uploads.finish(ID, 2, { ...made, verify }))).toBe("unknown");
    expect(await canceled).toBeUndefined();
    expect(await left()).toEqual([]);
  });

  test("too late is told what was made of it", async () => {
    const { uploads, made } = await someUploads();
    await uploads.write(ID, 0, pieces("ab"));
    await uploads.finish(ID, 2, made);
    expect(await uploads.cancel(ID)).toBe("ab");
  });
});

test("every block of an upload that found no room is told so, whichever it was", async () => {
  const { uploads, left } = await someUploads();
  await uploads.write(ID, 0, pieces("ab"));
  async function* noRoom() {
    yield Buffer.from("cd");
    throw Object.assign(new Error("no room"), { code: "ENOSPC" });
  }
  expect(await codeOf(uploads.write(ID, 2, noRoom()))).toBe("full");
  expect(await codeOf(uploads.write(ID, 4, pieces("ef")))).toBe("full");
  expect(await left()).toEqual([]);
});

test("all that is not finished goes when the worker ends", async () => {
  const { uploads, left } = await someUploads();
  await uploads.write(ID, 0, pieces("ab"));
  await uploads.write(ID.replace("0", "f"), 0, pieces("ab"));
  await uploads.cancelAll();
  expect(await left()).toEqual([]);
});

test("what a killed worker left behind goes after an hour, and not before: another one may be writing it", async () => {
  const { uploads, left, folder, made } = await someUploads();
  await uploads.write(ID, 0, pieces("ab"));
  await writeFile(join(folder, "old"), "");
  await utimes(join(folder, "old"), new Date(0), new Date(Date.now() - 3_700_000));
  await writeFile(join(folder, "recent"), "");
  await uploads.removeAbandoned(Date.now());
  expect(await left()).toEqual([ID, "recent"]);
  expect(await uploads.finish(ID, 2, made)).toBe("ab");
});

async function someUploads() {
  const parent = await mkdtemp(join(tmpdir(), "uploads-"));
  onTestFinished(() => rm(parent, { recursive: true }));
  const folder = join(parent, "folder");
  const make = async (file: string) => {
    await rename(file, join(parent, "made"));
    return readFile(join(parent, "made"), "utf8");
  };
  return {
    uploads: new Uploads(folder),
    folder,
    made: { make },
    left: async () => (await readdir(folder).catch(() => [])).sort(),
  };
}

async function* pieces(...words: readonly string[]): AsyncGenerator<Buffer> {
  for (const word of words) yield Buffer.from(word);
}

async function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "none",
    (error: unknown) => workerErrorOf(error).code,
  );
}
