import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { parseLabelSelector } from "./parse-label-selector.ts";

describe("a label selector", () => {
  const labels = { app: "etcd", tier: "back", weight: "3", empty: "" };

  test.each([
    ["app=etcd", true],
    ["app==etcd,tier=back", true],
    ["app=etcd,tier=front", false],
    ["app!=etcd", false],
    ["gone!=anything", true],
    ["app in (etcd, other)", true],
    ["app notin (etcd)", false],
    ["gone notin (a,b)", true],
    ["app", true],
    ["!app", false],
    ["!gone", true],
    ["constructor", false],
    ["!constructor", true],
    ["weight>2", true],
    ["weight<3", false],
    ["gone>1", false],
    ["empty=", true],
    ["in=a", false],
    ["", true],
  ])("%j finds them: %s", (text, found) => {
    assert.equal(parseLabelSelector(text)(labels), found);
  });

  test.each([
    ["a b c", "found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ["a in b", "found 'b', expected: '('"],
    ["a===b", "found '=', expected: identifier"],
    ["=a", "found '=', expected: identifier"],
  ])("%j is refused and says where", (text, why) => {
    assert.throws(() => parseLabelSelector(text), { code: 400, message: `unable to parse requirement: ${why}` });
  });

  test.each([
    ["a=b,", "found '', expected: identifier after ','"],
    [",a", "found ',', expected: !, identifier, or 'end of string'"],
  ])("%j is refused before a requirement is read", (text, message) => {
    assert.throws(() => parseLabelSelector(text), { code: 400, message });
  });

  test.each(["-bad-=x", "a=-x-", `a=${"x".repeat(64)}`, "a in (-x,y)", "a>x", "!-bad-"])(
    "%j is refused, since no object can have such a label",
    (text) => {
      assert.throws(() => parseLabelSelector(text), {
        code: 400,
        message: /^unable to parse requirement: .*Invalid value/,
      });
    },
  );
});
