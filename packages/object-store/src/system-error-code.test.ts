import { expect, test } from "vitest";
import { codeOfSystemError } from "./system-error-code.ts";

test.each([
  ["ECONNREFUSED", "unavailable"],
  ["ECONNRESET", "unavailable"],
  ["ENOTFOUND", "unavailable"],
  ["EPIPE", "unavailable"],
  ["UND_ERR_SOCKET", "unavailable"],
  ["UND_ERR_CONNECT_TIMEOUT", "unavailable"],
  ["HPE_INVALID_CONSTANT", "unavailable"],
  ["ERR_PROXY_TUNNEL", "unavailable"],
  ["CERT_HAS_EXPIRED", "invalid"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "invalid"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "invalid"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "invalid"],
  ["ERR_INVALID_URL", "invalid"],
  ["ERR_INVALID_ARG_TYPE", "unknown"],
  [undefined, "unknown"],
] as const)("%s is '%s'", (code, expected) => {
  expect(codeOfSystemError(code)).toBe(expected);
});
