import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { parseVersion } from "@etcd-operator/etcd-client";
import { etcdBinaries } from "@etcd-operator/local-kubernetes";
import { etcdEnvironment } from "@etcd-operator/local-kubernetes/binaries/binaries-folder.ts";
import { startGuarded } from "@etcd-operator/local-kubernetes/processes/guarded-process.ts";
import { memberAddresses, memberHost } from "@etcd-operator/operator/api/cluster/cluster-names.ts";
import type { EtcdCluster } from "@etcd-operator/operator/api/etcd-cluster.ts";
import { DATA_DIR, etcdCommand } from "@etcd-operator/operator/cluster/objects/pod/etcd-command.ts";
import { clusterToken } from "@etcd-operator/operator/cluster/objects/pod/start.ts";

const run = promisify(execFile);
const ip = (...args: string[]) => run("ip", args);

export interface MembersOnSix {
  /** By the name of the member. */
  readonly addresses: ReadonlyMap<string, string>;
  /** Ends the members, and removes their network and data. */
  stop(): Promise<void>;
}

/**
 * For tests: real members with the very flags of our pods, each in a network namespace whose only address of IPv4 is
 * 127.0.0.1.
 */
export async function startMembersOnSix(cluster: EtcdCluster, names: readonly string[]): Promise<MembersOnSix> {
  started += 1;
  const id = `six${process.pid % 100_000}x${started}`;
  const prefix = `fd00:e7cd:${(process.pid % 0xffff).toString(16)}:${started}::`;
  const dir = await mkdtemp(join(tmpdir(), "six-only-"));
  const ends: (() => Promise<unknown>)[] = [() => rm(dir, { recursive: true, force: true })];
  const stop = async () => {
    for (const end of ends.reverse()) await end();
  };
  try {
    await ip("link", "add", id, "type", "bridge");
    ends.push(() => ip("link", "del", id));
    await ip("addr", "add", `${prefix}1/64`, "dev", id, "nodad");
    await ip("link", "set", id, "up");
    const addresses = new Map(names.map((name, index) => [name, `${prefix}${index + 17}`]));
    const hosts = join(dir, "hosts");
    const lines = [...addresses].map(([name, address]) => `${address} ${memberHost(cluster, name)}`);
    await writeFile(hosts, `::1 localhost\n${lines.join("\n")}\n`);
    for (const [name, address] of addresses) {
      const space = `${id}-${name}`;
      ends.push(await makeSpace({ space, bridge: id, address, link: `${id}${name.slice(-2)}` }));
      const process = await startMember(cluster, { name, names, dir, hosts, space });
      ends.push(() => process.stop());
    }
    return { addresses, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

let started = 0;

async function makeSpace({ space, bridge, address, link }: Record<"space" | "bridge" | "address" | "link", string>) {
  await ip("netns", "add", space);
  await ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", space);
  await ip("link", "set", link, "master", bridge, "up");
  await ip("-n", space, "link", "set", "lo", "up");
  await ip("-n", space, "addr", "add", `${address}/64`, "dev", "eth0", "nodad");
  await ip("-n", space, "link", "set", "eth0", "up");
  return async () => {
    await ip("link", "del", link);
    await ip("netns", "del", space);
  };
}

interface Member {
  readonly name: string;
  readonly names: readonly string[];
  readonly dir: string;
  readonly hosts: string;
  readonly space: string;
}

async function startMember(cluster: EtcdCluster, { name, names, dir, hosts, space }: Member) {
  const version = parseVersion(cluster.spec.version);
  if (!version) throw new Error(`'${cluster.spec.version}' is no version`);
  const peerOf = (other: string) => ({ name: other, peerUrl: memberAddresses(cluster, other).peerUrl });
  const peers = names.filter((other) => other !== name).map(peerOf);
  const start = { kind: "seed", token: clusterToken(cluster, 1), peers } as const;
  const addresses = memberAddresses(cluster, name);
  const [, ...flags] = etcdCommand({ spec: cluster.spec, member: name, version, addresses, start });
  const binaries = await etcdBinaries(cluster.spec.version);
  const args = flags.map((flag) => flag.replace(DATA_DIR, join(dir, name)));
  const inside = `mount --bind ${hosts} /etc/hosts && exec "$@"`;
  return startGuarded({
    name: `etcd ${name}`,
    file: "ip",
    args: ["netns", "exec", space, "unshare", "-m", "sh", "-c", inside, "sh", binaries.etcd, ...args],
    log: join(dir, `${name}.log`),
    env: etcdEnvironment(process.env),
  });
}
