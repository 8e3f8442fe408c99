import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { freeSubnet } from "./subnet.ts";

describe("the subnet of a local mode", () => {
  test("is the first from the instance's own place on that no route leads into", () => {
    assert.equal(freeSubnet(["default", "192.0.2.0/24"], "000000")?.podCidr, "10.88.0.0/17");
    assert.equal(freeSubnet(["10.88.0.0/16"], "000000")?.podCidr, "10.89.0.0/17");
    assert.equal(freeSubnet([], "000005")?.podCidr, "10.93.0.0/17");
  });

  test("wraps around at the end of the range", () => {
    assert.equal(freeSubnet(["10.199.0.0/16"], "00006f")?.podCidr, "10.88.0.0/17");
  });

  test("stays what it was, for Services keep their addresses", () => {
    assert.equal(freeSubnet([], "000000", "10.91.0.0/17")?.dnsIp, "10.91.128.10");
    assert.equal(freeSubnet(["10.91.0.0/16"], "000000", "10.91.0.0/17"), undefined);
  });

  test("is none that a wider or narrower route overlaps", () => {
    assert.equal(freeSubnet(["10.88.4.0/24", "10.89.200.7"], "000000")?.serviceCidr, "10.90.128.0/17");
    assert.equal(freeSubnet(["10.0.0.0/8"], "000000"), undefined);
  });
});
