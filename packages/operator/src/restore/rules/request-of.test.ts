import assert from "node:assert/strict";
import { READY } from "@etcd-operator/testing/restore/a-ready-restore.ts";
import { aRestoreSeen, type RestoreGiven as Given, SAFETY } from "@etcd-operator/testing/restore/a-restore-seen.ts";
import { describe, test } from "vitest";
import { plan } from "../plan.ts";

describe("how far revisions are raised", () => {
  const members = (revision: number) => ({ status: { memberStatus: [{ revision }, {}] } as never });
  const bumpFor = (given: Given) => {
    const action = plan(aRestoreSeen({ ...READY, ...given }));
    assert.ok(action.kind === "request");
    return action.request.revisionBump;
  };

  test.each<[string, Given, number]>([
    ["by the requested amount, where no member is ahead of the snapshot", { cluster: members(100) }, 1_000_000_000],
    ["above what members have, as after another restore", { cluster: members(1_000_000_150) }, 2_000_000_050],
    [
      "above what was saved, which may be all that is known",
      { status: { ...READY.status, safetySnapshot: { ...SAFETY, revision: 300 } } },
      1_000_000_200,
    ],
    [
      "above what members had that are set aside",
      { cluster: { status: { restore: { previousMembers: [{ revision: 500 }] } } as never } },
      1_000_000_400,
    ],
    [
      "no further than where revisions can still be written into a status",
      { spec: { revisionBump: 1_000_000_000_000 }, cluster: members(8_999_999_999_999_999) },
      9_000_000_000_000_000 - 100,
    ],
    ["not at all, where that is wanted", { spec: { revisionBump: 0 }, cluster: members(1_000_000_150) }, 0],
  ])("%s", (_, given, bump) => {
    assert.equal(bumpFor(given), bump);
  });
});

describe("what was saved before", () => {
  const requestFor = (given: Given) => {
    const action = plan(aRestoreSeen({ ...READY, ...given }));
    assert.ok(action.kind === "request");
    return action.request;
  };

  test("carries the revision of the snapshot, so that it can be compared with the existing data by then", () => {
    const safetySnapshot = { ...SAFETY, clusterID: "c1" };
    const { isSaved, saved } = requestFor({ status: { ...READY.status, safetySnapshot } });
    assert.equal(isSaved, true);
    assert.deepEqual(saved, { revision: SAFETY.revision, clusterID: "c1" });
    assert.equal(requestFor({}).saved, undefined);
  });
});
