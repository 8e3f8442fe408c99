import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { connectEtcd } from "@etcd-operator/etcd-client";
import { freePorts } from "@etcd-operator/local-kubernetes";
import { describe, onTestFinished, test } from "vitest";
import { type EtcdProcess, startEtcd } from "../../etcd-process.ts";
import { until } from "../../until.ts";
import { Witness } from "./witness.ts";

/** As a Service does it: one address that leads to the configured etcd. */
async function aService(): Promise<{ address: string; leadTo(etcd: EtcdProcess): void }> {
  const [port = 0] = await freePorts(1);
  const clients = new Set<Socket>();
  let target: URL | undefined;
  const server: Server = createServer((client) => {
    clients.add(client.on("error", () => undefined));
    if (!target) return client.destroy();
    const upstream = connect(Number(target.port), target.hostname).on("error", () => client.destroy());
    client
      .on("close", () => upstream.destroy())
      .pipe(upstream)
      .pipe(client);
    return undefined;
  }).listen(port, "127.0.0.1");
  await once(server, "listening");
  const cut = () => {
    for (const client of clients) client.destroy();
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  const leadTo = (etcd: EtcdProcess) => {
    target = new URL(etcd.clientUrl);
    cut();
  };
  return { address: `127.0.0.1:${port}`, leadTo };
}

async function anEtcd(): Promise<EtcdProcess> {
  const etcd = await startEtcd({ version: "3.5.16" });
  onTestFinished(() => etcd.stop());
  return etcd;
}

function aWitness(address: string): Witness {
  const witness = new Witness({ name: "test", endpoint: () => ({ address }), paceMs: 1 });
  onTestFinished(() => witness.stop());
  return witness;
}

const member = (etcd: EtcdProcess) => ({ name: "the member", address: new URL(etcd.clientUrl).host });

describe("a witness", () => {
  test("finds all that was acknowledged, though its connections were cut time and again", async () => {
    const [etcd, service] = [await anEtcd(), await aService()];
    const witness = aWitness(service.address);
    for (let round = 0; round < 5; round += 1) {
      service.leadTo(etcd);
      await witness.writesAgain(200);
    }
    await witness.stop();
    await witness.check([member(etcd)]);
    const { acknowledged, reads } = witness.report();
    assert.ok(acknowledged >= 1000 && reads > 0);
    assert.match(
      witness.describe(),
      /^witness test: \d+ writes acknowledged, \d+ unknown, 0 refused, \d+ reads, longest/,
    );
  });

  test("misses a key that was deleted behind its back, and says which", async () => {
    const [etcd, service] = [await anEtcd(), await aService()];
    const witness = aWitness(service.address);
    service.leadTo(etcd);
    await witness.writesAgain(50);
    const client = connectEtcd({ address: member(etcd).address });
    await client.delete({ key: "witness/test/000000003" });
    client.close();
    await assert.rejects(witness.check([member(etcd)]), /000000003 \(revision \d+\) was acknowledged; the member does/);
    await until(() => isBroken(witness), { what: "a reader to notice, too" });
  });

  test("does not take an empty cluster for the one that it wrote to", async () => {
    const [etcd, empty, service] = [await anEtcd(), await anEtcd(), await aService()];
    const witness = aWitness(service.address);
    service.leadTo(etcd);
    await witness.writesAgain(50);
    service.leadTo(empty);
    await until(() => isBroken(witness), { what: "the witness to notice" });
    assert.throws(() => witness.assertUnbroken(), /it belongs to cluster/);
  });
});

function isBroken(witness: Witness): boolean {
  try {
    witness.assertUnbroken();
    return false;
  } catch {
    return true;
  }
}
