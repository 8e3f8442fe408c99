import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { SnapshotCheck, type SnapshotVerdict } from "./snapshot-file.ts";

const database = Buffer.from(Array.from({ length: 4 * 512 }, (_, index) => index % 251));
const file = Buffer.concat([database, createHash("sha256").update(database).digest()]);

describe("SnapshotCheck", () => {
  test("accepts a whole file wherever it is cut into chunks", () => {
    for (const size of [1, 31, 32, 33, 511, 512, 1000, file.length]) expect(verdictOf(file, size)).toBe("ok");
  });

  test("a changed bit in the data or in the hash is a mismatch", () => {
    for (const at of [0, 700, file.length - 33, file.length - 32, file.length - 1]) {
      const changed = Buffer.from(file);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(verdictOf(changed)).toBe("hash-mismatch");
    }
  });

  test("a file whose hash was cut off has none, though etcdctl's status is content with it", () => {
    expect(verdictOf(database)).toBe("hash-missing");
  });

  test("a file cut off anywhere never passes", () => {
    for (let size = 0; size < file.length; size++) expect(verdictOf(file.subarray(0, size))).not.toBe("ok");
  });

  test("a file that lost whole pages in the middle is a mismatch", () => {
    expect(verdictOf(Buffer.concat([file.subarray(0, 512), file.subarray(1024)]))).toBe("hash-mismatch");
  });

  test("counts the bytes, and gives the same verdict when asked twice", () => {
    const check = new SnapshotCheck();
    check.update(file);
    expect(check.sizeBytes).toBe(file.length);
    expect([check.verdict(), check.verdict()]).toEqual(["ok", "ok"]);
  });

  test("gives the hash of the whole file, whatever its verdict and wherever it is cut", () => {
    for (const bytes of [file, database, file.subarray(0, 7), Buffer.alloc(0)]) {
      for (const size of [1, 40, 2000]) {
        const check = new SnapshotCheck();
        for (let at = 0; at < bytes.length; at += size) check.update(bytes.subarray(at, at + size));
        expect([check.sha256(), check.sha256()]).toEqual(
          Array(2).fill(createHash("sha256").update(bytes).digest("hex")),
        );
      }
    }
  });
});

function verdictOf(bytes: Buffer, chunkSize = 700): SnapshotVerdict {
  const check = new SnapshotCheck();
  for (let at = 0; at < bytes.length; at += chunkSize) check.update(bytes.subarray(at, at + chunkSize));
  return check.verdict();
}
