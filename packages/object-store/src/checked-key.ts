import { ObjectStoreError } from "./object-store-error.ts";

/**
 * The key, unless it could not be put into an address: there `.` and `..` name places, and would lead to other objects
 * than this one.
 */
export function checkedKey(key: string, operation: string): string {
  const isMisleading = key === "" || key.split("/").some((part) => part === "." || part === "..");
  if (!isMisleading) return key;
  throw new ObjectStoreError("invalid", {
    operation,
    message: "a key must not be empty, nor have a part that is '.' or '..'",
  });
}
