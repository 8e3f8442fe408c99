import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { lacksInRefusal } from "./refusal.ts";

const about = (message: string, path: string, value: unknown) => lacksInRefusal({ message }, { path }, value);

describe("a refusal", () => {
  test("that names the field, shows the value and says what to do lacks nothing", () => {
    const message = "spec.size: Invalid value: 8: spec.size in body should be less than or equal to 7";
    assert.deepEqual(about(message, "size", 8), []);
  });

  test("that shows the type instead of the value does not show it", () => {
    const message =
      'spec.etcd: Invalid value: "integer": electionTimeoutMs must be at least five times as long: raise it';
    assert.match(about(message, "etcd.electionTimeoutMs", 499).join(), /^the refusal does not show the value/);
    const text = 'spec.repository: Invalid value: "string": repository has spaces: remove them';
    assert.match(about(text, "repository", "a b").join(), /^the refusal does not show the value/);
  });

  test("of a value of another type shows that type", () => {
    const message = 'spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"';
    assert.deepEqual(about(message, "size", "text"), []);
  });

  test("of a text of two lines writes out where the second begins", () => {
    const message = String.raw`spec.s3.path: Invalid value: "string": 'a\nb' contains a control character: remove it`;
    assert.deepEqual(about(message, "s3.path", "a\nb"), []);
  });

  test("of a text that is too long need not repeat it", () => {
    assert.deepEqual(about("spec.repository: Too long: may not be more than 3 bytes", "repository", "aaaa"), []);
  });

  test("that is about something else, or names no remedy, is reported", () => {
    const found = about("spec.paused: Invalid value: 8: it is wrong", "size", 8);
    assert.deepEqual(
      found.map((line) => line.replace(/:.*/, "")),
      ["the refusal does not name the field", "the refusal does not say what to do"],
    );
  });
});
