import { DONE } from "../binaries/file-lock.ts";
import type { LocalConfig } from "../config.ts";
import { vethPrefix } from "../network-names.ts";
import { askLinks, changeLinks, tryToChangeLinks } from "./ip-command.ts";

export type BridgeConfig = Pick<LocalConfig, "instance" | "bridge" | "bridgeIp" | "serviceCidr"> &
  Partial<Pick<LocalConfig, "nodes">>;

interface Link {
  readonly ifname: string;
}

/**
 * Makes the bridge that joins pods, Services and this machine; what is there already stays, so running pods notice
 * nothing.
 */
export async function ensureBridge(
  { instance, bridge, bridgeIp, serviceCidr, nodes = [] }: BridgeConfig,
  signal?: AbortSignal,
): Promise<void> {
  const operation = `set up the bridge ${bridge}`;
  const links = await askLinks<Link>(["link", "show", "type", "bridge"], { operation, signal });
  const isThere = links.some(({ ifname }) => ifname === bridge);
  await changeLinks(
    [
      // With a hardware address of its own: else it takes its lowest port's, and pods lose it whenever that changes.
      ...(isThere ? [] : [`link add ${bridge} address ${hardwareAddress(instance)} type bridge`]),
      `address replace ${bridgeIp}/16 dev ${bridge}`,
      ...nodes
        .filter(({ nodeIp }) => nodeIp !== bridgeIp)
        .map(({ nodeIp }) => `address replace ${nodeIp}/32 dev ${bridge}`),
      `link set ${bridge} up`,
      // All Service addresses at once are this machine's own: a port without a listener is refused, never waited
      // for.
      `route replace local ${serviceCidr} dev ${bridge}`,
    ],
    { operation, signal },
  );
}

/** Removes the bridge and every other link of the instance, also what a killed run left behind. */
export async function removeBridge({ instance }: Pick<BridgeConfig, "instance">, signal?: AbortSignal): Promise<void> {
  const operation = `remove the network of instance ${instance}`;
  const links = await linksOf(instance, signal);
  // The other end of a pair goes with the first, and a pod that ends takes its own along.
  await tryToChangeLinks(
    links.map((link) => `link delete ${link}`),
    { operation, signal },
  );
}

/**
 * A command that removes the same from outside, for another process to run when this one is killed. Unless it is told
 * that all was done, it looks twice: a program that was just making a link may have outlived us by a moment.
 */
export function linkRemoval(instance: string): readonly string[] {
  const ours = `^[0-9]+: (${prefixesOf(instance).join("|")})`;
  const names = `ip -o link show | grep -E '${ours}' | cut -d: -f2 | cut -d@ -f1`;
  const removal = `remove() { for link in $(${names}); do ip link delete "$link"; done; }`;
  return ["sh", "-c", `${removal}; remove; [ "$1" = ${DONE} ] || { sleep 1; remove; }`, "sh"];
}

/** The names of all links that belong to an instance, as far as they are in the machine's own namespace. */
export async function linksOf(instance: string, signal?: AbortSignal): Promise<string[]> {
  const operation = `list the links of instance ${instance}`;
  const links = await askLinks<Link>(["link", "show"], { operation, signal });
  const prefixes = prefixesOf(instance);
  return links.map(({ ifname }) => ifname).filter((name) => prefixes.some((prefix) => name.startsWith(prefix)));
}

function prefixesOf(instance: string): readonly string[] {
  return [`eo${instance}`, vethPrefix(instance)];
}

function hardwareAddress(instance: string): string {
  return `02:00:00:${instance.match(/../g)?.join(":")}`;
}
