import assert from "node:assert/strict";
import { access, mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "vitest";
import { discard } from "./discard.ts";

describe("the folder of a container that has ended", () => {
  test("goes with all that is in it", async () => {
    const dir = await mkdtemp(join(tmpdir(), "discard-"));
    await mkdir(join(dir, "root"));
    await writeFile(join(dir, "root", "file"), "");
    await discard(dir);
    await assert.rejects(access(dir), { code: "ENOENT" });
  });

  test("does not take the kubelet with it when it cannot be removed yet", async () => {
    const busy = async () => {
      throw new Error("ENOTEMPTY: directory not empty, rmdir 'root'");
    };
    await discard("folder", busy);
  });
});
