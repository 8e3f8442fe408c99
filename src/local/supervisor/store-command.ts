import { join } from "node:path";
import { etcdEnvironment } from "../binaries/binaries-folder.ts";
import type { Command } from "../processes/guarded-process.ts";

interface Store {
  readonly etcd: string;
  readonly stateDir: string;
  readonly clientPort: number;
  readonly peerPort: number;
}

/** How to start the etcd in which the API server keeps everything. */
export function storeCommand({ etcd, stateDir, clientPort, peerPort }: Store): Command {
  const [client, peer] = [`http://127.0.0.1:${clientPort}`, `http://127.0.0.1:${peerPort}`];
  const args = [
    "--name=store",
    `--data-dir=${join(stateDir, "store")}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=store=${peer}`,
    "--log-level=warn",
    // It is alone, and has nobody to wait for before it leads.
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
