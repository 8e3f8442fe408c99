import type { Certificate } from "./certificate.ts";
import { type Chain, chainsTo } from "./chains.ts";
import { checkValidity, isValidAt } from "./check-validity.ts";
import type { Finding, Severity } from "./finding.ts";
import { type Place, type Pool, poolOf, type Shown, shownBy } from "./material.ts";
import type { TlsSecrets } from "./parse-secret.ts";
import type { TlsRole } from "./secret-roles.ts";

export type Usage = "serverAuth" | "clientAuth";

/**
 * A TLS handshake: which certificate is presented to which trust bundle and for what, and the consequence of a
 * refusal.
 */
export interface Handshake {
  readonly shownBy: TlsRole;
  readonly to: TlsRole;
  readonly usages: readonly Usage[];
  readonly severity: Severity;
  /** The rest of a sentence: "so that …". */
  readonly consequence: string;
}

const OBJECT_IDS: Readonly<Record<Usage, string>> = {
  serverAuth: "1.3.6.1.5.5.7.3.1",
  clientAuth: "1.3.6.1.5.5.7.3.2",
};
const ANY_USAGE = "2.5.29.37.0";

/** Whether one side of a connection takes the certificate of the other. */
export function checkHandshake(handshake: Handshake, secrets: TlsSecrets, nowMs: number): readonly Finding[] {
  const [shown, pool] = [shownBy(handshake.shownBy, secrets), poolOf(handshake.to, secrets)];
  if (!shown || !pool) return [];
  const chains = chainsTo(pool.certificates, shown);
  // That a bundle without any authority trusts no certificate needs no second finding.
  if (chains.length === 0) return pool.certificates.some(({ isCa }) => isCa) ? [untrusted(handshake, shown, pool)] : [];
  // As in Go, the usages of an authority limit those of what it signs.
  const allowed = chains.filter((chain) => !issuersIn(chain).some((issuer) => forbids(handshake, issuer)));
  if (allowed.length === 0) return [misused(handshake, shown, pool, chains)];
  return issuersIn(bestOf(allowed, nowMs)).flatMap((issuer) =>
    checkValidity(holds(pool, issuer) ? pool : shown, issuer, nowMs, handshake.severity),
  );
}

/** Whether a certificate allows a usage; one without usages allows all. */
export function allows(usage: Usage, { usages }: Certificate): boolean {
  return usages === undefined || usages.includes(OBJECT_IDS[usage]) || usages.includes(ANY_USAGE);
}

function untrusted({ severity, consequence }: Handshake, { secret, key, leaf }: Shown, pool: Pool): Finding {
  const bundle = describe(pool, secret);
  return {
    ...{ code: "untrusted", severity, secret, key },
    defect: `holds '${leaf.subject}', which no authority in ${bundle} has signed, so ${consequence}`,
    remedy: `add the authority that signed it to ${bundle}, and any intermediate certificates to '${key}'`,
  };
}

function misused(handshake: Handshake, { key }: Shown, pool: Pool, chains: readonly Chain[]): Finding {
  const { usages, severity, consequence } = handshake;
  const invalid = chains.flatMap(issuersIn).find((issuer) => forbids(handshake, issuer));
  return {
    ...{ code: "usage", severity, secret: pool.secret, key: pool.key },
    defect: `trusts '${key}' through '${invalid?.subject}', which may not sign for ${usages.join(" and ")}, so ${consequence}`,
    remedy: "use an authority without extended key usages, or with these",
  };
}

function forbids({ usages }: Handshake, certificate: Certificate): boolean {
  return usages.some((usage) => !allows(usage, certificate));
}

/** One that is valid now rather than one that is not, then the one that is valid longest: verifiers prefer the same. */
function bestOf(chains: readonly Chain[], nowMs: number): Chain {
  const holdsNow = (chain: Chain) => issuersIn(chain).every((issuer) => isValidAt(issuer, nowMs));
  const endOf = (chain: Chain) => Math.min(...issuersIn(chain).map(({ notAfterMs }) => notAfterMs));
  const [best = []] = [...chains].sort(
    (a, b) => Number(holdsNow(b)) - Number(holdsNow(a)) || Math.sign(endOf(b) - endOf(a)),
  );
  return best;
}

function issuersIn(chain: Chain): readonly Certificate[] {
  return chain.slice(1);
}

function holds({ certificates }: Pool, { digest }: Certificate): boolean {
  return certificates.some((each) => each.digest === digest);
}

function describe({ secret, key }: Place, from: string): string {
  return secret === from ? `'${key}'` : `'${key}' of Secret '${secret}'`;
}
