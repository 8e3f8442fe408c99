import { GROUP } from "../../api/group.ts";

/**
 * On a member's pod: the CAs that its etcd trusts, as `Fingerprint.ca`. It reads the bundles when it starts, and
 * never again.
 */
export const CA_ANNOTATIONS = {
  peer: `${GROUP}/peer-ca`,
  server: `${GROUP}/server-ca`,
} as const;

/**
 * Whether members that were started with a bundle, as such an annotation has it, believe an authority: it itself, or an
 * older certificate of the same key. `identity` is that of its certificate.
 */
export function isIn(ca: string, identity: string): boolean {
  return ca.split(",").some((entry) => entry.startsWith(`${identity}.`));
}
