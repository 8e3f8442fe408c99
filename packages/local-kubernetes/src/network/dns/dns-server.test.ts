import assert from "node:assert/strict";
import { Resolver } from "node:dns/promises";
import { aNetwork, isRoot, type NetworkUnderTest } from "@etcd-operator/testing/local/network.ts";
import { anEndpoint, aService, aSlice } from "@etcd-operator/testing/local/services.ts";
import { afterEach, beforeEach, describe, test } from "vitest";
import { etcdEnvironment } from "../../binaries/binaries-folder.ts";
import { etcdBinaries } from "../../binaries/etcd-binaries.ts";
import { ServiceDirectory } from "../service-directory.ts";
import { splitMessages, startDnsServer } from "./dns-server.ts";

describe("the DNS server", () => {
  const names = new ServiceDirectory();
  const stop = new AbortController();
  const resolver = new Resolver({ timeout: 2_000, tries: 1 });
  const fullName = "many.ns.svc.cluster.local";

  beforeEach(async () => {
    const zone = { names, clusterDomain: "cluster.local", isComplete: () => true, signal: stop.signal };
    resolver.setServers([`127.0.0.1:${await startDnsServer({ ip: "127.0.0.1", port: 0, ...zone })}`]);
  });
  afterEach(() => stop.abort());

  test("answers at once with what has just changed, over TCP where it is too much for UDP", async () => {
    await assert.rejects(resolver.resolve4(fullName), { code: "ENOTFOUND" });
    names.setService(aService("many", { clusterIP: "None" }));
    await assert.rejects(resolver.resolve4(fullName), { code: "ENODATA" });
    for (const count of [1, 7, 200]) {
      names.setSlice(
        aSlice(
          "many",
          Array.from({ length: count }, (_, index) => anEndpoint(`10.240.1.${index}`, { hostname: `m-${index}` })),
        ),
      );
      assert.equal((await resolver.resolve4(fullName)).length, count);
    }
    assert.deepEqual(await resolver.reverse("10.240.1.5"), [`m-5.${fullName}`]);
    assert.equal((await resolver.resolveSrv(`_client._tcp.${fullName}`)).length, 200);
  });
});

describe.skipIf(!isRoot)("in a pod (needs root)", () => {
  let network: NetworkUnderTest;
  const stop = new AbortController();
  beforeEach(async () => {
    network = await aNetwork();
  });
  afterEach(async () => {
    stop.abort();
    await network.close();
  });

  test("short names are found by the resolvers of glibc and of Go", async () => {
    const pod = await network.addPod();
    const names = new ServiceDirectory();
    names.setService(aService("peers", { clusterIP: "None" }));
    names.setSlice(aSlice("peers", [anEndpoint(pod.ip, { hostname: "a" })]));
    const { dnsIp, clusterDomain } = network.config;
    const zone = { names, clusterDomain, isComplete: () => true, signal: stop.signal };
    await startDnsServer({ ip: dnsIp, port: 53, ...zone });

    for (const name of ["a.peers.ns.svc", "a.peers.ns.svc.cluster.local", "a.peers", "peers"]) {
      assert.match(await pod.run("getent", "ahostsv4", name), new RegExp(`^${pod.ip} `), name);
      assert.match(await pod.run("getent", "hosts", name), new RegExp(`^${pod.ip} `), name);
    }
    assert.match(await pod.run("getent", "hosts", pod.ip), /a\.peers\.ns\.svc\.cluster\.local/);
    await assert.rejects(pod.run("getent", "hosts", "b.peers.ns.svc"), { code: 2 });
    await assert.rejects(pod.run("getent", "hosts", "example.com"), { code: 2 });

    // etcd finds itself among its peers by asking for their names; it tells by starting.
    const { etcd, etcdctl } = await etcdBinaries("3.5.16");
    const url = (port: number) => `http://a.peers.ns.svc:${port}`;
    const { stateDir } = network.config;
    const flags = [
      ...["--name=a", `--data-dir=${stateDir}/etcd`, "--logger=zap", `--log-outputs=${stateDir}/etcd.log`],
      ...[`--initial-cluster=a=${url(2380)}`, `--initial-advertise-peer-urls=${url(2380)}`],
      ...[`--advertise-client-urls=${url(2379)}`, "--listen-peer-urls=http://0.0.0.0:2380"],
      "--listen-client-urls=http://0.0.0.0:2379",
    ];
    const inGo = [
      "env",
      "GODEBUG=netdns=go",
      ...Object.entries(etcdEnvironment({})).map(([key, value]) => `${key}=${value}`),
    ];
    const [env = "", ...settings] = inGo;
    pod.start(env, ...settings, etcd, ...flags);
    const health = await pod.run(
      env,
      ...settings,
      "ETCDCTL_API=3",
      etcdctl,
      `--endpoints=${url(2379)}`,
      "--dial-timeout=10s",
      "put",
      "k",
      "v",
    );
    assert.match(health, /OK/);
  });
});

test("messages are found however TCP cut them", () => {
  const bytes = Buffer.from([0, 2, 10, 11, 0, 0, 0, 1, 12, 0, 3, 13]);
  const { messages, rest } = splitMessages(bytes);
  assert.deepEqual(messages, [Buffer.from([10, 11]), Buffer.from([]), Buffer.from([12])]);
  assert.deepEqual(splitMessages(Buffer.concat([rest, Buffer.from([14, 15])])).messages, [Buffer.from([13, 14, 15])]);
});
