import assert from "node:assert/strict";
import { test } from "vitest";
import { requestUrl, wantsWatch } from "./request-url.ts";

test.each<[string | undefined, string, string]>([
  [undefined, "/", ""],
  ["", "/", ""],
  ["//", "//", ""],
  ["//apis/apps/v1?limit=1", "//apis/apps/v1", "limit=1"],
  ["/api/v1/pods?watch", "/api/v1/pods", "watch="],
  ["/api/v1/../x?a=b?c", "/api/v1/../x", "a=b%3Fc"],
  ["https://somewhere:1234/api/v1?limit=1", "/api/v1", "limit=1"],
  ["https://somewhere?limit=1", "/", "limit=1"],
  ["*", "*", ""],
])("%s is the path %s with the query %s", (target, path, query) => {
  const { pathname, searchParams } = requestUrl(target);
  assert.deepEqual([pathname, String(searchParams)], [path, query]);
});

test.each([
  ["", false],
  ["watch=false", false],
  ["watch=False", false],
  ["watch=0", false],
  ["watch=false&watch=true", false],
  ["watch", true],
  ["watch=true", true],
  ["watch=1", true],
  ["watch=t", true],
  ["watch=f", true],
  ["watch=no", true],
])("whether %s asks for a watch: %s", (query, expected) => {
  assert.equal(wantsWatch(new URLSearchParams(query)), expected);
});
