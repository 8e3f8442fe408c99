import assert from "node:assert/strict";
import { test } from "vitest";
import { parseListenAddress } from "./listen-address.ts";

test.each([
  ["0.0.0.0:8080", undefined, 8080],
  ["127.0.0.1:8080", "127.0.0.1", 8080],
  [":8080", undefined, 8080],
  ["localhost:0", "localhost", 0],
  ["[::1]:8080", "::1", 8080],
  ["[::]:8080", undefined, 8080],
])("%s is an address to listen on", (address, host, port) => {
  assert.deepEqual(parseListenAddress(address), { host, port });
});

test.each([["8080"], ["localhost"], ["localhost:http"], ["localhost:"], [":65536"], [""], ["a:b:1"], ["[::1]"]])(
  "'%s' is none, and the error says how to write one",
  (address) => {
    assert.throws(() => parseListenAddress(address), {
      name: "ListenError",
      code: "address-invalid",
      message: /as in '/,
    });
  },
);

test("an IPv6 address without brackets is refused with the remedy", () => {
  assert.throws(() => parseListenAddress("::1:8080"), { message: /brackets, as in '\[::1\]:8080'/ });
});
