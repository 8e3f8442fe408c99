import { BlockList, isIP } from "node:net";

export type ProxyEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy of HTTPS_PROXY for a host; undefined when there is none, or NO_PROXY says that this host is reached
 * without.
 */
export function proxyFor(host: string, port: number, env: ProxyEnvironment): URL | undefined {
  const proxy = env.https_proxy || env.HTTPS_PROXY;
  if (!proxy || isExempt(host, port, env.no_proxy || env.NO_PROXY || "")) return undefined;
  const address = /^[a-z]+:\/\//i.test(proxy) ? proxy : `http://${proxy}`;
  return URL.canParse(address) ? new URL(address) : undefined;
}

/** Entries are names, which stand for all below them, addresses, networks, or "*"; each may name a port. */
function isExempt(host: string, port: number, list: string): boolean {
  const name = host.replace(/^\[|\]$/g, "").toLowerCase();
  // What listens on this machine is out of any proxy's reach.
  if (name === "localhost" || isWithin(name, "127.0.0.0/8") || name === "::1") return true;
  return list.split(/[\s,]+/).some((entry) => {
    // What follows the last colon of an address of IPv6 is no port.
    const [, pattern = "", only] = isIP(entry) ? ["", entry] : (/^(.*?)(?::([0-9]+))?$/.exec(entry) ?? []);
    return (only === undefined || Number(only) === port) && isMatch(name, pattern.toLowerCase());
  });
}

function isMatch(name: string, pattern: string): boolean {
  if (pattern === "*") return true;
  if (pattern.includes("/")) return isWithin(name, pattern);
  const domain = pattern.replace(/^\*?\./, "");
  return domain !== "" && (name === domain || name.endsWith(`.${domain}`));
}

function isWithin(address: string, network: string): boolean {
  const [base = "", prefix] = network.split("/");
  const [family, networkFamily] = [isIP(address), isIP(base)];
  if (family === 0 || family !== networkFamily || !/^[0-9]{1,3}$/.test(prefix ?? "")) return false;
  const type = family === 6 ? "ipv6" : "ipv4";
  const bits = Number(prefix);
  if (bits > (family === 6 ? 128 : 32)) return false;
  const list = new BlockList();
  list.addSubnet(base, bits, type);
  return list.check(address, type);
}
