import type { Version } from "@etcd-operator/etcd-client";
import { factsOf } from "@etcd-operator/etcd-client";
import type { MemberAddresses } from "../../../api/cluster/cluster-names.ts";
import type { EtcdClusterSpec } from "../../../api/etcd-cluster.ts";
import type { Peer, Start } from "./start.ts";
import { tlsFlags } from "./tls-files.ts";
import { tunableFlags } from "./tunable-flags.ts";

export const DATA_DIR = "/var/etcd/data";

export interface EtcdCommandInput {
  readonly spec: EtcdClusterSpec;
  readonly member: string;
  readonly version: Version;
  readonly addresses: MemberAddresses;
  readonly start: Start;
}

/** The command of the etcd container, with no flag that its version would refuse. */
export function etcdCommand({ spec, member, version, addresses, start }: EtcdCommandInput): string[] {
  const itself = { name: member, peerUrl: addresses.peerUrl };
  return [
    "/usr/local/bin/etcd",
    `--data-dir=${DATA_DIR}`,
    `--name=${member}`,
    `--initial-advertise-peer-urls=${addresses.peerUrl}`,
    `--listen-peer-urls=${addresses.listenPeerUrl}`,
    `--listen-client-urls=${addresses.listenClientUrl}`,
    `--advertise-client-urls=${addresses.clientUrl}`,
    ...startFlags(itself, start),
    ...tlsFlags(spec.TLS),
    ...(factsOf(version).hasListenMetricsUrls ? [`--listen-metrics-urls=${addresses.listenMetricsUrl}`] : []),
    ...tunableFlags(spec, version),
  ];
}

function startFlags(itself: Peer, start: Start): string[] {
  switch (start.kind) {
    case "seed":
      return [
        initialClusterFlag([...start.peers, itself]),
        "--initial-cluster-state=new",
        `--initial-cluster-token=${start.token}`,
      ];
    case "joining":
      return [initialClusterFlag([...start.peers, itself]), "--initial-cluster-state=existing"];
    case "returning":
    case "restored":
      return [initialClusterFlag([itself]), "--initial-cluster-state=existing"];
  }
}

function initialClusterFlag(peers: readonly Peer[]): string {
  return `--initial-cluster=${peers.map(({ name, peerUrl }) => `${name}=${peerUrl}`).join(",")}`;
}
