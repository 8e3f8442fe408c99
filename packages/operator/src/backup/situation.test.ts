import assert from "node:assert/strict";
import { test } from "vitest";
import { type Situation, wishOf } from "./situation.ts";

test("a run is of use as long as the spec says the same, in whatever order its keys come", () => {
  const spec = { storageType: "S3", s3: { path: "bucket/a", awsSecret: "aws" } } as unknown as Situation["spec"];
  const turned = { s3: { awsSecret: "aws", path: "bucket/a" }, storageType: "S3" } as unknown as Situation["spec"];
  const other = { storageType: "S3", s3: { path: "bucket/b", awsSecret: "aws" } } as unknown as Situation["spec"];
  assert.equal(wishOf(turned), wishOf(spec));
  assert.notEqual(wishOf(other), wishOf(spec));
});
