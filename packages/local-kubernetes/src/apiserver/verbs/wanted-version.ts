import { plainError } from "../api-error.ts";
import type { Written } from "./written.ts";

/** The version that a write replaces is a number, whether or not there is anything to replace. */
export function checkWantedVersion(version: unknown): void {
  if (typeof version !== "string" || /^\d*$/.test(version)) return;
  throw plainError(`strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`);
}

/** A new object that is not stored keeps the version that the client wished it to replace. */
export function withWantedVersion(written: Written, version: unknown): Written {
  if (written.kind !== "dry-run" || typeof version !== "string" || version === "") return written;
  const { metadata, ...object } = written.object;
  return { ...written, object: { ...object, metadata: { ...metadata, resourceVersion: version } } };
}
