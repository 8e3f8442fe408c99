import assert from "node:assert/strict";
import { Resolver } from "node:dns/promises";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import type { KubeObject } from "@etcd-operator/kubernetes-client";
import { KubeClient } from "@etcd-operator/kubernetes-client";
import { json, type ScriptedServer, scriptedServer } from "@etcd-operator/testing/kubernetes/scripted-server.ts";
import { aNetwork, isRoot, type NetworkUnderTest } from "@etcd-operator/testing/local/network.ts";
import { anEndpoint, aService, aSlice } from "@etcd-operator/testing/local/services.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterEach, beforeEach, describe, test } from "vitest";
import { type RunningNetwork, startNetwork } from "./start-network.ts";

const echoServer = 'require("net").createServer((s) => s.end("from the pod")).listen(2379, () => console.log("up"))';

describe.skipIf(!isRoot)("the network (needs root)", () => {
  let network: NetworkUnderTest;
  let api: ScriptedServer;
  let client: KubeClient;
  let running: RunningNetwork;
  let stop: AbortController;
  let watches: Map<string, ServerResponse>;
  let version: number;

  beforeEach(async () => {
    network = await aNetwork();
    stop = new AbortController();
    watches = new Map();
    version = 1;
    api = await scriptedServer(({ path, query }, response) => {
      const plural = path.split("/").at(-1) ?? "";
      if (query.get("watch")) watches.set(plural, response.writeHead(200, { "content-type": "application/json" }));
      else json(response, 200, { metadata: { resourceVersion: "1" }, items: [] });
      response.flushHeaders?.();
    });
    client = new KubeClient(api.connection);
    const { server } = api.connection;
    running = await startNetwork({ ...network.config, server }, { client, signal: stop.signal, log: () => undefined });
    await until(() => watches.size === 2, { what: "both watches", everyMs: 5 });
  });

  afterEach(async () => {
    stop.abort();
    await running?.stopped;
    await client?.close();
    await api?.[Symbol.asyncDispose]();
    await network.close();
  });

  function tell(type: string, plural: string, object: KubeObject): void {
    version += 1;
    const metadata = {
      uid: `uid-${object.metadata?.name}`,
      creationTimestamp: "2030-01-01T00:00:00Z",
      ...object.metadata,
    };
    const stored = { ...object, metadata: { ...metadata, resourceVersion: String(version) } };
    watches.get(plural)?.write(`${JSON.stringify({ type, object: stored })}\n`);
  }

  const ipOf = (last: string) => network.config.serviceCidr.replace("0/17", last);

  test("leads pods and this machine through a Service to its endpoints, as long as there are any", async () => {
    const [backend, user] = [await network.addPod(), await network.addPod()];
    await once(backend.start("node", "-e", echoServer), "line");
    const clusterIP = ipOf("5");
    tell("ADDED", "services", aService("web", { clusterIP, ports: [{ name: "client", port: 80 }] }));
    await refused(clusterIP, 80);
    tell("ADDED", "endpointslices", aSlice("web", [anEndpoint(backend.ip)]));
    assert.equal(await until(() => ask(clusterIP, 80), { what: "the Service", everyMs: 5 }), "from the pod");
    const fromPod = `require("net").connect(80, "${clusterIP}").pipe(process.stdout)`;
    assert.equal(await user.run("node", "-e", fromPod), "from the pod");
    assert.match(await user.run("getent", "hosts", "web.ns.svc"), new RegExp(`^${clusterIP} `));

    tell("DELETED", "services", aService("web", { clusterIP, ports: [{ name: "client", port: 80 }] }));
    await until(() => refused(clusterIP, 80).then(() => true), { what: "the end of the Service", everyMs: 5 });
    await assert.rejects(user.run("getent", "hosts", "web.ns.svc"), { code: 2 });
  });

  test("leads the Service of the API server to it, with or without a word from it", async () => {
    const address = ipOf("1");
    const { status } = await fetch(`http://${address}:443/api/v1/namespaces/ns/services`);
    assert.equal(status, 200);
  });

  test("answers for a name within milliseconds of its change", async () => {
    const resolver = new Resolver({ timeout: 1_000 });
    resolver.setServers([network.config.dnsIp]);
    tell("ADDED", "services", aService("peers", { clusterIP: "None" }));
    for (const ip of ["10.240.0.2", "10.240.0.3", "10.240.0.4"]) {
      tell("MODIFIED", "endpointslices", aSlice("peers", [anEndpoint(ip, { hostname: "a" })]));
      const ask = async () => (await resolver.resolve4("a.peers.ns.svc.cluster.local"))[0] === ip;
      await until(ask, { what: "the new address", everyMs: 1, timeoutMs: 1_000 });
    }
  });
});

async function ask(host: string, port: number): Promise<string> {
  return text(connect(port, host));
}

async function refused(host: string, port: number): Promise<void> {
  await assert.rejects(ask(host, port), { code: "ECONNREFUSED" });
}
