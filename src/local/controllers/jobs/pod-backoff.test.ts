import assert from "node:assert/strict";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { test } from "vitest";
import { stored } from "../../../../test/support/local/stored-objects.ts";
import { backoffAfter, NO_FAILURE, remainingMs } from "./pod-backoff.ts";

const at = (second: number) => Date.parse("2030-01-01T00:00:00Z") + second * 1000;
const ended = (second: number) =>
  stored<Pod>(`pod-${second}`, {
    status: {
      containerStatuses: [
        {
          name: "main",
          image: "",
          imageID: "",
          ready: false,
          restartCount: 0,
          state: { terminated: { exitCode: 1, finishedAt: new Date(at(second)).toISOString() } },
        },
      ],
    },
  });

test("failures add up until a pod succeeds", () => {
  const once = backoffAfter(NO_FAILURE, [], [ended(1)]);
  const thrice = backoffAfter(once, [], [ended(5), ended(3)]);
  assert.deepEqual(thrice, { failures: 3, lastFailureMs: at(5) });
  assert.deepEqual(backoffAfter(thrice, [ended(9)], []), NO_FAILURE);
  assert.deepEqual(backoffAfter(thrice, [ended(7)], [ended(6), ended(8)]), { failures: 1, lastFailureMs: at(8) });
});

test("the pause doubles from ten seconds to ten minutes", () => {
  const pauses = [0, 1, 2, 3, 20].map((failures) => remainingMs({ failures, lastFailureMs: at(0) }, at(0)));
  assert.deepEqual(pauses, [0, 10_000, 20_000, 40_000, 600_000]);
  assert.equal(remainingMs({ failures: 1, lastFailureMs: at(0) }, at(11)), 0);
});

test("a pod without a container that ended is taken by what else is known of its end", () => {
  const pod = stored<Pod>("gone", {
    metadata: { deletionTimestamp: "2030-01-01T00:00:30Z", deletionGracePeriodSeconds: 30 },
  });
  assert.equal(backoffAfter(NO_FAILURE, [], [pod]).lastFailureMs, at(0));
});
