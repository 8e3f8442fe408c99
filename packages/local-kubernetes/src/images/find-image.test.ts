import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, test } from "vitest";
import { findImage, programImage } from "./find-image.ts";
import { ImageError } from "./image-error.ts";
import { operatorImage } from "./operator-image.ts";

const options = { signal: new AbortController().signal };

test.each(["nginx:1.27", "quay.io/team/redis", "constructor"])(
  "says what there is when asked for %s",
  async (image) => {
    await assert.rejects(findImage(image, options), (error) => {
      assert.ok(error instanceof ImageError && error.code === "unknown-image");
      assert.match(error.message, /etcd:v<version>.*etcd-operator.*busybox/);
      return true;
    });
  },
);

test("busybox under any registry is this machine's own shell and tools", async () => {
  assert.deepEqual((await findImage("registry.test/library/busybox:1.36", options)).cmd, ["sh"]);
});

test("an etcd version that is none cannot be pulled, with the reason", async () => {
  await assert.rejects(
    findImage("quay.io/coreos/etcd:nonsense", options),
    (error) => error instanceof ImageError && error.code === "unobtainable",
  );
});

test("our own image has every bundle of the build as a program, beside this Node.js", () => {
  const dist = mkdtempSync(join(tmpdir(), "dist-"));
  onTestFinished(() => rmSync(dist, { recursive: true }));
  for (const file of ["etcd-operator.mjs", "etcd-store-worker.mjs", "etcd-operator.mjs.LEGAL.txt"]) {
    writeFileSync(join(dist, file), "");
  }
  const image = operatorImage(dist);
  assert.deepEqual(image.links, {
    "etcd-operator": "/opt/etcd-operator/etcd-operator.mjs",
    "etcd-store-worker": "/opt/etcd-operator/etcd-store-worker.mjs",
  });
  assert.deepEqual(
    image.binds.map(({ target }) => target),
    ["/opt/etcd-operator", "/usr/local/bin/node"],
  );
  assert.equal(image.uid, 65532);
});

test("without a build, our own image says how to make one", () => {
  assert.throws(
    () => operatorImage("/nowhere"),
    (error) => error instanceof ImageError && /make build/.test(error.message),
  );
});

test("a program that is not installed is no image", async () => {
  await assert.rejects(
    () => programImage("kubectl", "/nowhere"),
    (error) => error instanceof ImageError && error.code === "unobtainable",
  );
});
