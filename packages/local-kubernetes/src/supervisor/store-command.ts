import { join } from "node:path";
import { etcdEnvironment } from "../binaries/binaries-folder.ts";
import type { Command } from "../processes/guarded-process.ts";

interface Store {
  readonly etcd: string;
  readonly stateDir: string;
}

/** A Unix socket's path may be no longer (man 7 unix, less its last byte). */
const LONGEST_PATH_BYTES = 107;
const SOCKETS = { client: "store.sock", peer: "store-peer.sock" } as const;

/** Where the API server finds its store. */
export function storeEndpoint(stateDir: string): string {
  return `unix:${join(stateDir, SOCKETS.client)}`;
}

/** How many bytes too long the path of the state's folder is for the sockets in it. */
export function bytesTooLong(stateDir: string): number {
  const longest = Math.max(...Object.values(SOCKETS).map((name) => Buffer.byteLength(join(stateDir, name))));
  return Math.max(0, longest - LONGEST_PATH_BYTES);
}

/** How to start the etcd in which the API server keeps everything. */
export function storeCommand({ etcd, stateDir }: Store): Command {
  const [client, peer] = [SOCKETS.client, SOCKETS.peer].map((name) => `unix://${join(stateDir, name)}`);
  const args = [
    "--name=store",
    `--data-dir=${join(stateDir, "store")}`,
    // It requires no client certificate: on a port, every user of the machine would be the administrator. The folder is
    // root's alone.
    `--listen-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    // These have to be a host and a port. The name has no address, and one member calls no other.
    "--advertise-client-urls=http://store.invalid:2379",
    "--initial-advertise-peer-urls=http://store.invalid:2380",
    "--initial-cluster=store=http://store.invalid:2380",
    "--log-level=warn",
    // It is alone, and has no other member to wait for before it leads.
    "--heartbeat-interval=20",
    "--election-timeout=100",
    // What a laptop tries out must survive our crash, not a power cut; the kernel still has every write.
    "--unsafe-no-fsync",
  ];
  return {
    name: "store",
    file: etcd,
    args,
    log: join(stateDir, "logs", "store.log"),
    env: etcdEnvironment(process.env),
  };
}
