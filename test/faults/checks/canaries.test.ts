import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { canariesSeen, type Place } from "./canaries.ts";
import { objectsWritten, type Written } from "./objects-under-test.ts";

const CANARY = "wJalrXUtnFEMI/K7MDENG";
const SECRET: Written = ["secrets/aws", { data: { credentials: base64(`aws_secret_access_key = ${CANARY}`) } }];

describe("values of Secrets", () => {
  test("may be in Secrets", () => {
    assert.deepEqual(seen([SECRET, ["secrets/copy", { data: { credentials: base64(CANARY) } }]], []), []);
  });

  test.each<[string, readonly Written[], readonly Place[]]>([
    ["a status", [["etcdbackups/b", { status: { reason: `cannot use ${CANARY}` } }]], []],
    ["an Event", [["events/b", { message: CANARY }]], []],
    [
      "an object that is gone",
      [
        ["pods/b", { spec: CANARY }],
        ["pods/b", undefined],
      ],
      [],
    ],
    ["another form", [["pods/b", { spec: base64(CANARY) }]], []],
    ["the log", [], [{ name: "the log", text: `{"msg":"${CANARY}"}` }]],
    ["the store", [], [{ name: "the store", text: Buffer.from(CANARY) }]],
  ])("must not be in %s", (_, writes, places) => {
    assert.match(seen([SECRET, ...writes], places).join(), /^a value of Secret aws is in [^,]+$/);
  });

  test("are long enough to be searched for", () => {
    const short: Written = ["secrets/gcs", { data: { "access-token": base64("token"), "ca.crt": base64("public") } }];
    assert.throws(() => seen([short], []), /nothing in Secret gcs can be looked for/);
    assert.deepEqual(seen([["secrets/ca", { data: { "ca.crt": base64("public") } }]], []), []);
  });

  test("are searched for when the Secret is gone, too", () => {
    assert.equal(seen([SECRET, ["secrets/aws", undefined]], [{ name: "the log", text: CANARY }]).length, 1);
  });

  function seen(writes: readonly Written[], places: readonly Place[]): readonly string[] {
    return canariesSeen(objectsWritten(...writes).events, places);
  }
});

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
