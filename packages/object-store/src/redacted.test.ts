import { describe, expect, test } from "vitest";
import { redactor } from "./redacted.ts";

const SECRET = "wJalrXUtnFEMI/K7MDENG/bPxRfiCY+EXAMPLE=";
const redact = redactor(["our-key-id", SECRET, undefined, ""]);

describe("what a server says", () => {
  test.each([
    ["the id of our key", "The key our-key-id is not known", "The key [redacted] is not known"],
    ["our secret", `'${SECRET}' is wrong`, "'[redacted]' is wrong"],
    ["our secret in a URL", `?k=${encodeURIComponent(SECRET)}&x=1`, "?k=[redacted]&x=1"],
    ["the id of a key of AWS", "AKIAIOSFODNN7EXAMPLE has expired", "[redacted] has expired"],
    ["the id of a role's key", "for ASIAY34FZKBOKMUTVV7A", "for [redacted]"],
    ["the id of a key of Alibaba Cloud", "LTAI5tAbCdEfGhIjKlMnOp is disabled", "[redacted] is disabled"],
    ["a signature in a URL", "/?X-Amz-Signature=00ff&X-Amz-Date=1", "/?X-Amz-Signature=[redacted]&X-Amz-Date=1"],
    ["a token in a URL", "?X-Amz-Security-Token=FwoGZX%2F, bad", "?X-Amz-Security-Token=[redacted], bad"],
    ["a shared access signature", "/c?sv=1&sig=ab%2Bc%3D", "/c?sv=1&sig=[redacted]"],
    ["a header", "Authorization: AWS4-HMAC-SHA256 Credential=x, Signature=y", "Authorization: [redacted]"],
    ["a bearer's token", "the bearer abc.def is unknown", "the bearer [redacted] is unknown"],
    ["a token of Google's", "ya29.a0AfB_byC-x1 has expired", "[redacted] has expired"],
    ["a signed token", "got eyJhbGciOi.eyJpc3Mi.c2ln-_", "got [redacted]"],
    ["another client's secret", "got je7MtGbClwBFd2Zp9Utkdh3yCo8nvbEXAMPLEKEY", "got [redacted]"],
    [
      "a signature",
      "The MAC signature found 'aGVsbG8gd29ybGQgdGhpcyBpcyAxMjMgc2lnbmF0dXI=' differs",
      "The MAC signature found '[redacted]' differs",
    ],
  ])("does not pass on %s", (_, said, told) => {
    expect(redact(said)).toBe(told);
  });

  test.each([
    "The specified bucket does not exist",
    "The difference between the request time and the current time is too large",
    "Access Denied for arn:aws:iam::123456789012:role/backup on bucket/etcd/nightly_v42_2030-01-15-10:00:00",
    "RequestId: 4442587FB7D0A2F9, 123e4567-e89b-12d3-a456-426614174000",
    "the token has expired: ask for another",
  ])("is passed on otherwise: %s", (said) => {
    expect(redact(said)).toBe(said);
  });

  test("is one line, and not the page of a proxy", () => {
    expect(redact("a\n  b")).toBe("a b");
    expect(redact("x ".repeat(1_000))).toHaveLength(301);
    expect(redact("x".repeat(250))).toHaveLength(250);
  });
});

test("what is too short to be a secret is left alone", () => {
  expect(redactor(["a", "abc"])("a cab has come")).toBe("a cab has come");
});

test("of two secrets that begin alike nothing is left", () => {
  expect(redactor(["abcd", "abcdefgh"])("abcdefgh abcd")).toBe("[redacted] [redacted]");
});

test("a megabyte without a space costs no more than a line, and half a key at the cut is not told", () => {
  expect(redactor([])("a".repeat(2 ** 20))).toBe("…");
  const key = "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY12";
  const keys = Array.from({ length: 48 }, () => key).join(" ");
  expect(redactor([])(`${keys}${" ".repeat(2_000 - keys.length - 20)}${key}`)).not.toContain("wJalr");
});
