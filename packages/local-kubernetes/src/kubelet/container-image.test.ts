import assert from "node:assert/strict";
import { test } from "vitest";
import { plainImage } from "../images/image.ts";
import { lookForImage } from "./container-image.ts";
import type { ImageAnswer } from "./image-store.ts";

const now = 1_000;
const container = { name: "main", image: "i" };
const image = { ...plainImage, id: "id" };
const knowing = (answer: ImageAnswer | undefined) => ({ known: () => answer });

test("an image that is there is used", () => {
  const found = lookForImage(knowing({ kind: "ready", image, tookMs: 1 }), container, now);
  assert.deepEqual(found, { kind: "ready", image });
});

test("an image that is not known is pulled, unless that is forbidden", () => {
  assert.deepEqual(lookForImage(knowing(undefined), container, now), { kind: "pull" });
  const never = lookForImage(knowing(undefined), { ...container, imagePullPolicy: "Never" }, now);
  assert.equal(never.kind === "held" && never.reason, "ErrImageNeverPull");
});

test("an image that could not be pulled is waited for, with the reason", () => {
  const failed = { kind: "failed", message: "not there", retryAt: now + 7, waitMs: 10 } as const;
  assert.deepEqual(lookForImage(knowing(failed), container, now), {
    ...{ kind: "held", reason: "ImagePullBackOff", message: 'Back-off pulling image "i": not there', waitMs: 7 },
  });
});
