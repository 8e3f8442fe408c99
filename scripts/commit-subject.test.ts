import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { findingsOf } from "./commit-subject.ts";

const body = "A claim was deleted with its member.";
const findingsFor = (subject: string) => findingsOf({ hash: "abc", subject, body });

describe("the message of a commit", () => {
  test.each([
    "fix(cluster): keep the claim of a member that returns",
    "feat: embed the schema",
    "ci: run the fault programme each night",
    "docs(operations): say what to do with alarm NOSPACE",
    "build(deps): bump undici from 7.30.2 to 8.0.1",
  ])("'%s' is one that we take", (subject) => {
    assert.deepEqual(findingsFor(subject), []);
  });

  test.each([
    [`fix(cluster): ${"a".repeat(59)}`, /73 characters, 72 are allowed/],
    ["keep the claim", /not of the form/],
    ["fix(cluster): Keep the claim", /capital letter/],
    ["fix(cluster): keeping the claim", /'keeping' is not an imperative/],
    ["fix(cluster): removed the claim", /'removed' is not an imperative/],
    ["fix(cluster): keep the claim.", /full stop/],
    ["fix(cluster): keep the claim; remove the pod", /joins changes/],
  ])("'%s' is refused", (subject, finding) => {
    assert.match(findingsFor(subject).join(", "), finding);
  });

  test("a commit without a body is refused", () => {
    const [finding] = findingsOf({ hash: "abc", subject: "fix(cluster): keep the claim", body: "\n" });
    assert.match(finding ?? "", /no body/);
  });
});
