import type { ObjectStoreErrorCode } from "./object-store-error.ts";

/**
 * What an error of the connection means, by the system's or the HTTP library's code for it; certificates have codes of
 * many names.
 */
export function codeOfSystemError(code: string | undefined): ObjectStoreErrorCode {
  if (code === undefined) return "unknown";
  if (/CERT|SELF_SIGNED|^UNABLE_TO_|^ERR_(TLS|INVALID_URL)/.test(code)) return "invalid";
  return /^(E[A-Z]+|UND_ERR_.*|HPE_.*|ERR_PROXY_TUNNEL)$/.test(code) ? "unavailable" : "unknown";
}
