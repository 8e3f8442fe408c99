import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { formatCheck } from "./formats.ts";

// Each list is what a kube-apiserver 1.34.10 takes and refuses.
const formats: Readonly<Record<string, { valid: readonly string[]; invalid: readonly string[] }>> = {
  "date-time": {
    valid: ["2024-01-02T03:04:05Z", "2024-01-02T03:04:05.123+01:00", "2024-01-02t03:04:05z"],
    invalid: [
      "2024-01-02",
      "2024-13-02T03:04:05Z",
      "2024-01-02T24:04:05Z",
      "2024-01-02 03:04:05Z",
      "",
      "2023-02-30T00:00:00Z",
    ],
  },
  date: { valid: ["2024-02-29"], invalid: ["2023-02-29", "2024-1-1"] },
  duration: { valid: ["1h30m", "3 days", "1.5h", "0", "-1s"], invalid: ["5", "x", "10 parsecs", ""] },
  byte: { valid: ["YWJj", "YQ=="], invalid: ["YWJ", "!!", ""] },
  ipv4: { valid: ["10.0.0.1", "010.0.0.1", "::ffff:1.2.3.4"], invalid: ["256.1.1.1", "1.2.3"] },
  ipv6: { valid: ["::1", "::ffff:1.2.3.4"], invalid: ["fe80::1%eth0", "1.2.3.4", "x"] },
  cidr: { valid: ["10.0.0.0/8", "fd00::/8"], invalid: ["10.0.0.0/33", "10.0.0.0", "x/8"] },
  mac: {
    valid: ["01:23:45:67:89:ab", "01-23-45-67-89-ab", "0123.4567.89ab", "01:23:45:67:89:ab:cd:ef"],
    invalid: ["01:23:45", "zz:23:45:67:89:ab"],
  },
  uri: {
    valid: ["http://a/b", "/path", "mailto:x", "http://", "urn:x:y", "*"],
    invalid: ["a/b", "http://a b/", "%zz:", "http:// ", "", " http://a", "http://[::1"],
  },
  email: { valid: ["a@b.c", "A <a@b>"], invalid: ["a", "a@b@c"] },
  hostname: {
    valid: ["a.b.com", "a-b", "münchen.de", "a"],
    invalid: ["a_b", "-a", "1.2.3.4", "a.b.c1", "a..b"],
  },
  uuid: { valid: ["123e4567-e89b-12d3-a456-426614174000", "123E4567e89b12d3a456426614174000"], invalid: ["x"] },
  uuid4: {
    valid: ["123e4567-e89b-42d3-a456-426614174000"],
    invalid: ["123e4567-e89b-12d3-a456-426614174000"],
  },
  hexcolor: { valid: ["#fff", "fff"], invalid: ["#ggg"] },
};

describe("string formats", () => {
  for (const [format, { valid, invalid }] of Object.entries(formats)) {
    test(`${format} is checked as a real API server checks it`, () => {
      const isValid = formatCheck(format);
      assert.ok(isValid);
      assert.deepEqual([...valid, ...invalid].filter(isValid), valid);
    });
  }

  test("formats of numbers and unknown ones are not checked", () => {
    for (const format of ["int32", "int64", "quantity", undefined]) assert.equal(formatCheck(format), undefined);
  });
});
