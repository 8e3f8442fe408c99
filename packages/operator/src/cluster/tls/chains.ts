import { type Certificate, isIssuedBy } from "./certificate.ts";

/**
 * From a certificate up to the one that is trusted, which is the last; a certificate that is trusted itself is a chain
 * of one.
 */
export type Chain = readonly Certificate[];

export interface Presented {
  readonly leaf: Certificate;
  /** What is sent along in a handshake, to fill the gap up to the authority. */
  readonly intermediates: readonly Certificate[];
}

/**
 * Every chain from a certificate to a trusted one, whatever the time. As in Go, everything in the pool is trusted
 * directly: an authority below the root, and also the certificate itself.
 */
export function chainsTo(pool: readonly Certificate[], { leaf, intermediates }: Presented): readonly Chain[] {
  const isTrusted = ({ digest }: Certificate) => pool.some((each) => each.digest === digest);
  if (isTrusted(leaf)) return [[leaf]];
  return climb([leaf]);

  function climb(chain: Chain): readonly Chain[] {
    const top = chain.at(-1);
    if (!top) return [];
    const issuers = unique([...pool, ...intermediates]).filter(
      (issuer) => !chain.some(({ identity }) => identity === issuer.identity) && isIssuedBy(top, issuer),
    );
    return issuers.flatMap((issuer) => (isTrusted(issuer) ? [[...chain, issuer]] : climb([...chain, issuer])));
  }
}

function unique(certificates: readonly Certificate[]): readonly Certificate[] {
  return certificates.filter(({ digest }, index) => certificates.findIndex((each) => each.digest === digest) === index);
}
