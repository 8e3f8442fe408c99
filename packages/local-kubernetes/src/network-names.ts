import { createHash } from "node:crypto";

/** Every link of an instance's pods starts with this, so that leftovers can be found. */
export function vethPrefix(instance: string): string {
  return `v${instance}`;
}

/** The host's end of a pod's network cable; the kernel takes 15 characters. */
export function vethName(instance: string, podUid: string): string {
  return `${vethPrefix(instance)}${createHash("sha256").update(podUid).digest("hex").slice(0, 8)}`;
}
