import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { LocalConfig } from "@etcd-operator/local-kubernetes";
import { askLinks, changeLinks, tryToChangeLinks } from "@etcd-operator/local-kubernetes/network/ip-command.ts";
import { NetworkError } from "@etcd-operator/local-kubernetes/network/network-error.ts";
import { vethName, vethPrefix } from "@etcd-operator/local-kubernetes/network-names.ts";

export type FaultsConfig = Pick<LocalConfig, "instance" | "stateDir">;

export interface PodOnNetwork {
  readonly uid: string;
  readonly ip: string;
}

export interface NetworkFaults {
  /** Cuts a pod off from everything: other pods, Services, DNS and this machine. */
  isolate(podUid: string): Promise<void>;
  /** Undoes that for one pod; those that others cut off stay so. */
  reconnect(podUid: string): Promise<void>;
  /** Lets two pods no longer reach each other, in either direction; Services and all other pods still reach both. */
  part(one: PodOnNetwork, other: PodOnNetwork): Promise<void>;
  /** Undoes that for pods, towards all others; deleted ones need it no more. */
  rejoin(...podUids: readonly string[]): Promise<void>;
  /** Undoes every fault there is, also those of an earlier process. */
  heal(): Promise<void>;
}

// An address that no card has. What is sent to it is lost without a word, on established connections too, as with a cut
// cable; a blackhole route would fail with an error at once, which no real partition does.
const NO_ADDRESS = "02:00:00:00:00:00";

/** Network faults for tests; each call returns when the fault is in effect. */
export function networkFaults({ instance, stateDir }: FaultsConfig): NetworkFaults {
  return {
    async isolate(podUid) {
      // The bridge forgets where the pod was, and the pod's own end loses its carrier but keeps its address.
      await changeLinks([`link set ${vethName(instance, podUid)} down`], { operation: `isolate pod ${podUid}` });
    },
    async reconnect(podUid) {
      await changeLinks([`link set ${vethName(instance, podUid)} up`], { operation: `reconnect pod ${podUid}` });
    },
    async part(one, other) {
      const [pid, otherPid] = [await sandboxPid(stateDir, one.uid), await sandboxPid(stateDir, other.uid)];
      await Promise.all([loseWhatGoesTo(other.ip, one, pid), loseWhatGoesTo(one.ip, other, otherPid)]);
    },
    async rejoin(...podUids) {
      await Promise.all(podUids.map((uid) => healNeighboursOf(stateDir, uid)));
    },
    async heal() {
      await Promise.all([healLinks(instance), healNeighbours(stateDir)]);
    },
  };
}

interface Interface {
  readonly ifname: string;
  readonly addr_info: readonly { readonly local?: string }[];
}

async function loseWhatGoesTo(ip: string, from: PodOnNetwork, pid: number): Promise<void> {
  const options = { operation: `part pod ${from.uid} from ${ip}`, insideOf: pid };
  const interfaces = await askLinks<Interface>(["-4", "address", "show"], options);
  const own = interfaces.find(({ addr_info }) => addr_info.some(({ local }) => local === from.ip));
  if (!own)
    throw new NetworkError("no-such-pod", options.operation, `Pod ${from.uid} does not have address ${from.ip}`);
  await changeLinks([`neighbour replace ${ip} lladdr ${NO_ADDRESS} nud permanent dev ${own.ifname}`], options);
}

async function healLinks(instance: string): Promise<void> {
  const operation = "reconnect isolated pods";
  const links = await askLinks<{ ifname: string; flags: readonly string[] }>(["link", "show"], { operation });
  const down = links.filter(({ ifname, flags }) => ifname.startsWith(vethPrefix(instance)) && !flags.includes("UP"));
  await tryToChangeLinks(
    down.map(({ ifname }) => `link set ${ifname} up`),
    { operation },
  );
}

async function healNeighbours(stateDir: string): Promise<void> {
  const uids = await readdir(join(stateDir, "pods")).catch(() => []);
  await Promise.all(uids.map((uid) => healNeighboursOf(stateDir, uid)));
}

async function healNeighboursOf(stateDir: string, podUid: string): Promise<void> {
  // A pod that is gone, or on its way, needs no healing.
  const pid = await sandboxPid(stateDir, podUid).catch(() => undefined);
  if (pid !== undefined) await healInside(pid).catch(ignoreGone);
}

interface Neighbour {
  readonly dst: string;
  readonly dev: string;
  readonly lladdr?: string;
}

async function healInside(pid: number): Promise<void> {
  const options = { operation: "rejoin parted pods", insideOf: pid };
  const neighbours = await askLinks<Neighbour>(["-4", "neighbour", "show", "nud", "permanent"], options);
  const lost = neighbours.filter(({ lladdr }) => lladdr === NO_ADDRESS);
  await tryToChangeLinks(
    lost.map(({ dst, dev }) => `neighbour delete ${dst} dev ${dev}`),
    options,
  );
}

function ignoreGone(error: unknown): void {
  if (!(error instanceof NetworkError) || error.code !== "command-failed") throw error;
}

/** The kubelet writes down the process that holds a pod's namespaces. */
async function sandboxPid(stateDir: string, podUid: string): Promise<number> {
  const path = join(stateDir, "pods", podUid, "sandbox.pid");
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new NetworkError("no-such-pod", "find a pod", `No pod with uid ${podUid} runs here: no ${path}`, {
      cause: error,
    });
  });
  return Number.parseInt(text, 10);
}
