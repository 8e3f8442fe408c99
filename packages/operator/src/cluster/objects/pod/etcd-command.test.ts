import { parseVersion } from "@etcd-operator/etcd-client";
import { anEtcdCluster, STATIC_TLS } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { describe, expect, test } from "vitest";
import { memberAddresses } from "../../../api/cluster/cluster-names.ts";
import { etcdCommand } from "./etcd-command.ts";
import { clusterToken, type Start } from "./start.ts";

const peer = (name: string) => ({ name, peerUrl: `http://${name}.example.prod.svc:2380` });
const seed: Start = { kind: "seed", token: "uid-1-1", peers: [] };

describe("the command of a member", () => {
  test("is that of coreos/etcd-operator, and a port for metrics", () => {
    expect(command({ start: seed, version: "3.3.25" })).toEqual([
      "/usr/local/bin/etcd",
      "--data-dir=/var/etcd/data",
      "--name=example-a",
      "--initial-advertise-peer-urls=http://example-a.example.prod.svc:2380",
      "--listen-peer-urls=http://0.0.0.0:2380",
      "--listen-client-urls=http://0.0.0.0:2379",
      "--advertise-client-urls=http://example-a.example.prod.svc:2379",
      "--initial-cluster=example-a=http://example-a.example.prod.svc:2380",
      "--initial-cluster-state=new",
      "--initial-cluster-token=uid-1-1",
      "--listen-metrics-urls=http://0.0.0.0:2381",
      "--snapshot-count=10000",
      "--experimental-initial-corrupt-check=true",
    ]);
  });

  test.each<[string, Start, string[]]>([
    [
      "a seed bootstraps a cluster of its own",
      seed,
      [
        "--initial-cluster=example-a=http://example-a.example.prod.svc:2380",
        "--initial-cluster-state=new",
        "--initial-cluster-token=uid-1-1",
      ],
    ],
    [
      "one of several initial members names them all",
      { ...seed, peers: [peer("example-b")] },
      [
        "--initial-cluster=example-b=http://example-b.example.prod.svc:2380,example-a=http://example-a.example.prod.svc:2380",
        "--initial-cluster-state=new",
        "--initial-cluster-token=uid-1-1",
      ],
    ],
    [
      "a joining member names those it joins and itself",
      { kind: "joining", clusterId: "c1", peers: [peer("example-b"), peer("example-c")] },
      [
        "--initial-cluster=example-b=http://example-b.example.prod.svc:2380,example-c=http://example-c.example.prod.svc:2380,example-a=http://example-a.example.prod.svc:2380",
        "--initial-cluster-state=existing",
      ],
    ],
    [
      "a returning member names only itself, so that it exits when its log is gone",
      { kind: "returning", clusterId: "c1", memberId: "a1" },
      ["--initial-cluster=example-a=http://example-a.example.prod.svc:2380", "--initial-cluster-state=existing"],
    ],
    [
      "a restored member likewise: it starts from the log that was made of the snapshot",
      { kind: "restored", token: "uid-1-2", revisionBump: 0, restoreUid: "r" },
      ["--initial-cluster=example-a=http://example-a.example.prod.svc:2380", "--initial-cluster-state=existing"],
    ],
  ])("%s", (_, start, flags) => {
    expect(command({ start }).filter((flag) => flag.startsWith("--initial-cluster"))).toEqual(flags);
  });

  test("a token is never used by two incarnations, nor by two clusters of one name", () => {
    const tokens = [
      clusterToken(anEtcdCluster({}, { uid: "uid-1" }), 1),
      clusterToken(anEtcdCluster({}, { uid: "uid-1" }), 2),
      clusterToken(anEtcdCluster({}, { uid: "uid-2" }), 1),
    ];
    expect(new Set(tokens).size).toBe(3);
  });

  test("with TLS it listens by https, asks for certificates and finds its own where the Secrets are mounted", () => {
    const flags = command({ spec: { TLS: STATIC_TLS } });
    expect(flags).toContain("--listen-peer-urls=https://0.0.0.0:2380");
    expect(flags).toContain("--advertise-client-urls=https://example-a.example.prod.svc:2379");
    expect(flags.filter((flag) => /cert|key|ca-file/.test(flag))).toEqual([
      "--peer-client-cert-auth=true",
      "--peer-trusted-ca-file=/etc/etcdtls/member/peer-tls/peer-ca.crt",
      "--peer-cert-file=/etc/etcdtls/member/peer-tls/peer.crt",
      "--peer-key-file=/etc/etcdtls/member/peer-tls/peer.key",
      "--client-cert-auth=true",
      "--trusted-ca-file=/etc/etcdtls/member/server-tls/server-ca.crt",
      "--cert-file=/etc/etcdtls/member/server-tls/server.crt",
      "--key-file=/etc/etcdtls/member/server-tls/server.key",
    ]);
  });

  test("TLS between members alone leaves clients without", () => {
    const flags = command({ spec: { TLS: { static: { member: { peerSecret: "peer" } } } } });
    expect(flags).toContain("--listen-client-urls=http://0.0.0.0:2379");
    expect(flags.filter((flag) => flag.startsWith("--cert-file"))).toEqual([]);
  });

  test("3.2 knows no port for metrics", () => {
    expect(command({ version: "3.2.32" }).filter((flag) => flag.includes("metrics"))).toEqual([]);
  });
});

function command({ start = seed, version = "3.5.30", spec = {} }: { start?: Start; version?: string; spec?: object }) {
  const cluster = anEtcdCluster(spec);
  const parsed = parseVersion(version);
  if (!parsed) throw new Error(`not a version: ${version}`);
  const member = "example-a";
  const addresses = memberAddresses(cluster, member);
  return etcdCommand({ spec: cluster.spec, member, version: parsed, addresses, start });
}
