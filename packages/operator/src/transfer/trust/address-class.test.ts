import { describe, expect, test } from "vitest";
import { addressClass } from "./address-class.ts";

describe("addressClass", () => {
  test.each([
    ["127.0.0.1", "loopback"],
    ["127.255.255.254", "loopback"],
    ["::1", "loopback"],
    ["0:0:0:0:0:0:0:1", "loopback"],
    ["::ffff:127.0.0.1", "loopback"],
    ["::ffff:7f00:1", "loopback"],
    ["::127.0.0.1", "loopback"],
    ["64:ff9b::127.0.0.1", "loopback"],
    ["2002:7f00:1::", "loopback"],
    ["169.254.0.1", "link-local"],
    ["fe80::1", "link-local"],
    ["fe80::1%eth0", "link-local"],
    ["febf::1", "link-local"],
    ["::ffff:169.254.1.1", "link-local"],
    ["169.254.169.254", "metadata"],
    ["::ffff:a9fe:a9fe", "metadata"],
    ["64:ff9b::a9fe:a9fe", "metadata"],
    ["64:ff9b:1::a9fe:a9fe", "metadata"],
    ["2002:a9fe:a9fe::1", "metadata"],
    ["169.254.170.2", "metadata"],
    ["100.100.100.200", "metadata"],
    ["168.63.129.16", "metadata"],
    ["192.0.0.192", "metadata"],
    ["fd00:ec2::254", "metadata"],
    ["fd00:0ec2:0:0:0:0:0:254", "metadata"],
    ["fd20:ce::254", "metadata"],
    ["224.0.0.1", "multicast"],
    ["239.255.255.255", "multicast"],
    ["ff02::1", "multicast"],
    ["0.0.0.0", "unspecified"],
    ["0.1.2.3", "unspecified"],
    ["::", "unspecified"],
    ["::ffff:0.0.0.0", "unspecified"],
    ["255.255.255.255", "reserved"],
    ["240.0.0.1", "reserved"],
    ["no address", "reserved"],
    ["", "reserved"],
  ])("of '%s' is '%s'", (address, expected) => {
    expect(addressClass(address)).toBe(expected);
  });

  test.each([
    ...[
      "10.0.0.1",
      "172.16.0.1",
      "192.168.1.1",
      "100.64.0.1",
      "8.8.8.8",
      "128.0.0.1",
      "126.255.255.255",
      "223.255.255.255",
    ],
    ...["2001:db8::1", "fd00::1", "fec0::1", "::ffff:10.0.0.1", "64:ff9b::8.8.8.8", "2002:808:808::1"],
  ])("of '%s' is none: it may be dialled", (address) => {
    expect(addressClass(address)).toBeUndefined();
  });
});
