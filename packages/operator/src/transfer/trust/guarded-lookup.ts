import { type LookupAddress, type LookupOptions, lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";

/** Why an address must not be dialled; undefined where it may. */
export type AddressRule = (address: string) => string | undefined;

export type Resolve = (
  hostname: string,
  options: LookupOptions & { all: true },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Finds the addresses of a name for a connection, and refuses the connection where one of them must not be dialled: it
 * is asked at each connection, so a name that is given another address meanwhile gains nothing.
 */
export function guardedLookup(rule: AddressRule, resolve: Resolve = lookup): LookupFunction {
  return (hostname, options, done) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, []);
      const why = addresses.map(({ address }) => rule(address)).find((each) => each !== undefined);
      const [first] = addresses;
      if (why !== undefined) return done(refusal(hostname, why), []);
      if (options.all) return done(null, addresses);
      done(first ? null : refusal(hostname, "it has no address"), first?.address ?? "", first?.family);
    });
  };
}

/**
 * Why a host must not be dialled, as far as that is known before it is; a name that cannot be found now is left to
 * the connection.
 */
export async function whyNotDialled(
  host: string,
  rule: AddressRule,
  resolve: Resolve = lookup,
): Promise<string | undefined> {
  const name = host.replace(/^\[|\]$/g, "");
  if (isIP(name.replace(/%.*$/, ""))) return rule(name);
  const addresses = await new Promise<readonly LookupAddress[]>((found) => {
    resolve(name, { all: true }, (error, all) => found(error ? [] : all));
  });
  return addresses.map(({ address }) => rule(address)).find((why) => why !== undefined);
}

function refusal(hostname: string, why: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`'${hostname}' is not allowed: ${why}`), { code: "EADDRNOTALLOWED" });
}
