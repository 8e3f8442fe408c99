import { join, normalize } from "node:path";
import { describe, expect, test } from "vitest";
import { fileOfKey, keyOfFile } from "./file-of-key.ts";

describe("the file of a key", () => {
  test.each([
    ["is what people expect", "etcd/prod/backup_v100_2030-01-01-12:30:00", "etcd/prod/backup_v100_2030-01-01-12:30:00"],
    ["keeps spaces, plus signs and other scripts", "a b/c+d/日本語", "a b/c+d/日本語"],
    ["keeps a percent sign that encodes nothing", "100%", "100%"],
    ["encodes one that could be taken for an encoded character", "a%2Fb", "a%252Fb"],
    ["does not lead to the folder above", "../a/..", "%2E%2E/a/%2E%2E"],
    ["does not lead to the folder itself", "./a", "%2E/a"],
    ["keeps dots that do not stand alone", ".a/..b/c..", ".a/..b/c.."],
    ["has no part without a name", "/a//b/", "%_/a/%_/b/%_"],
    ["has no zero in it", "a\0b", "a%00b"],
    ["does not lead to the worker's own folder", ".etcd-store-worker/x", "%2Eetcd-store-worker/x"],
    [
      "goes on in folders where a name is too long",
      "x".repeat(600),
      `${"x".repeat(250)}%~/${"x".repeat(250)}%~/${"x".repeat(100)}`,
    ],
    ["tells a name that only looks so", "a%~/b", "a%25~/b"],
    ["cuts no character in two", "🙂".repeat(63), `${"🙂".repeat(62)}%~/🙂`],
  ])("%s", (_, key, file) => {
    expect(fileOfKey(key)).toBe(file);
    expect(keyOfFile(file)).toBe(key);
  });

  test.each(["", "\ud800", "a\udc00b"])("there is none for %j", (key) => {
    expect(fileOfKey(key)).toBeUndefined();
  });

  test("is another one for every key, inside the folder, and leads back to it", () => {
    const random = seeded(7);
    const alphabet = ["a", ".", "..", "/", "%", "2", "E", "~", "_", "5", "\0", "é", "🙂", " ", "x".repeat(130)];
    const files = new Map<string, string>();
    for (let n = 0; n < 20_000; n += 1) {
      const key = Array.from({ length: 1 + random(8) }, () => alphabet[random(alphabet.length)]).join("");
      const file = fileOfKey(key) ?? "";
      expect(keyOfFile(file)).toBe(key);
      expect(files.get(file) ?? key).toBe(key);
      expect(normalize(join("/volume", file))).toBe(`/volume/${file}`);
      expect(file.split("/").every((name) => name !== "" && Buffer.byteLength(name) <= 255)).toBe(true);
      files.set(file, key);
    }
  });
});

describe("a file that no key leads to", () => {
  test.each(["a%41b", "%2Ea", "a//b", "x%~/y", ".etcd-store-worker/x"])("is no object: %s", (file) => {
    expect(keyOfFile(file)).toBeUndefined();
  });
});

function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
