import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { BUILTIN_KINDS } from "./builtin-kinds.ts";
import { plan, plannedStory } from "./plan.ts";
import type { Request } from "./request.ts";

function requestsOf(seed: number, count: number): Request[] {
  return plan(seed, count, "run").flatMap(({ requests }) => requests);
}

describe("the plan of a differential run", () => {
  test("is the same for the same seed", () => {
    assert.deepEqual(requestsOf(7, 300), requestsOf(7, 300));
  });

  test("is another one for another seed", () => {
    assert.notDeepEqual(requestsOf(1, 50), requestsOf(2, 50));
  });

  test("has as many requests as were asked for", () => {
    assert.equal(requestsOf(3, 1000).length, 1000);
  });

  test("tells a story alone as it tells it among others", () => {
    const [, , third] = plan(5, 200, "run");
    assert.deepEqual(JSON.parse(JSON.stringify(plannedStory(5, 2, "run"))), JSON.parse(JSON.stringify(third)));
  });

  test("has every method, every type of patch, watches, dry runs and subresources among 1000", () => {
    const requests = requestsOf(1, 1000);
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"])
      assert.ok(requests.some((each) => each.method === method));
    const types = ["json-patch+json", "merge-patch+json", "strategic-merge-patch+json", "apply-patch+yaml"];
    for (const type of types)
      assert.ok(
        requests.some(({ contentType }) => contentType === `application/${type}`),
        type,
      );
    assert.ok(requests.some(({ isWatch }) => isWatch));
    for (const part of ["dryRun=All", "/status", "/scale", "/eviction", "/binding", "/token", "continue="]) {
      assert.ok(
        requests.some(({ path }) => path.includes(part)),
        part,
      );
    }
  });

  test("has every built-in kind within a few seeds", () => {
    const paths = [1, 2, 3].flatMap((seed) => requestsOf(seed, 1000)).map(({ path }) => path);
    for (const { plural } of BUILTIN_KINDS)
      assert.ok(
        paths.some((path) => path.includes(`/${plural}`)),
        plural,
      );
  });
});
