import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { re2 } from "./re2.ts";
import { Re2Error } from "./re2-parts.ts";

describe("RE2 patterns in JavaScript", () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ["(?i)^abc$", ["ABC", "aBc"], ["abd"]],
    ["^[[:alpha:]]+$", ["abc"], ["ab1", ""]],
    ["^[^[:space:]]+\\z", ["abc"], ["a b", "abc\n"]],
    ["\\Aab", ["abc"], ["xab", "x\nab"]],
    ["^a.b$", ["axb", "a\rb", "a\u2028b"], ["a\nb"]],
    ["(?s)^a.b$", ["a\nb"], ["ab"]],
    ["(?m)^b$", ["a\nb\nc"], ["ab"]],
    ["^[\\w-.]+$", ["a-b.c"], ["a b"]],
    ["^[]a]+$", ["]a"], ["b"]],
    ["^[a\\]\\-\\[]+$", ["a]-["], ["b"]],
    ["^\\Qa.b\\E$", ["a.b"], ["axb"]],
    ["^\\x41\\x{42}\\101$", ["ABA"], ["AB"]],
    ["^\\pL\\p{Greek}\\PN$", ["aαb"], ["aab", "aα1"]],
    ["^(?P<year>\\d{4})-(?:x|y)$", ["2024-x"], ["24-x"]],
    ["^{a}{1$", ["{a}{1"], ["aa"]],
    ["^a{2,3}$", ["aa", "aaa"], ["a", "aaaa"]],
    ["^\\s\\S$", ["\ta", " \u00a0"], ["\u00a0a"]],
    ["^.$", ["😀"], ["😀😀"]],
    ["^a\\/b\\-c\\.$", ["a/b-c."], ["a/b-cx"]],
    ["\\bfoo\\b", ["a foo b"], ["afoo"]],
    ["^[\\x00-\\x1f\\x7f]$", ["\u0007", "\u007f"], ["a"]],
  ])("%s matches what it matches in Go", (pattern, matching, other) => {
    assert.deepEqual(
      [...matching, ...other].filter((text) => re2(pattern).test(text)),
      matching,
    );
  });

  test.each([
    ["(", "missing closing ): `(`"],
    ["a)", "unexpected ): `a)`"],
    ["[a", "missing closing ]: `[a`"],
    ["*", "missing argument to repetition operator: `*`"],
    ["a**", "invalid nested repetition operator: `**`"],
    ["(?=x)", "invalid or unsupported Perl syntax: `(?=`"],
    ["(a)\\1", "invalid escape sequence: `\\1`"],
    ["a{1001}", "invalid repeat count: `{1001}`"],
    ["[z-a]", "invalid character class range: `z-a`"],
    ["[[:foo:]]", "invalid character class range: `[:foo:]`"],
    ["a\\", "trailing backslash at end of expression: `\\`"],
  ])("%s is refused in the words of Go", (pattern, reason) => {
    assert.throws(
      () => re2(pattern),
      (error: unknown) => error instanceof Re2Error && error.message === `error parsing regexp: ${reason}`,
    );
  });
});
