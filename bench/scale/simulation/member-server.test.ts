import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { connectEtcd, type EtcdClient, EtcdError } from "@etcd-operator/etcd-client";
import { freePorts } from "@etcd-operator/local-kubernetes";
import { afterEach, test } from "vitest";
import { addressOf, clusterName, idOf, SIZE, VERSION } from "../fleet-names.ts";
import { MEMBER_LIST } from "./answers.ts";
import { MemberServer } from "./member-server.ts";
import { Members } from "./members.ts";

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function simulated(clusters: number) {
  const members = new Members();
  const [port = 0] = await freePorts(1);
  const server = new MemberServer(members, port);
  ends.push(() => server.close());
  for (let index = 0; index < clusters; index += 1) {
    for (let member = 0; member < SIZE; member += 1) {
      members.add(`${clusterName(index)}-member${member}`, addressOf(index, member));
    }
  }
  const dial = (index: number, member: number): EtcdClient => {
    const client = connectEtcd({ address: `${addressOf(index, member)}:${port}` });
    ends.push(() => client.close());
    return client;
  };
  return { members, server, dial, port };
}

test("the address that is dialled decides which member of which cluster answers", async () => {
  const { dial } = await simulated(2);
  for (const index of [0, 1]) {
    const cluster = clusterName(index);
    const status = await dial(index, 1).status();
    assert.equal(status.clusterId, idOf(cluster));
    assert.equal(status.memberId, idOf(`${cluster}-member1`));
    assert.equal(status.leaderId, idOf(`${cluster}-member0`));
    assert.equal(status.version, VERSION);
    assert.deepEqual((await dial(index, 2).health({ expectClusterId: idOf(cluster) })).health, "healthy");
    const names = (await dial(index, 0).members()).map(({ name }) => name);
    assert.deepEqual(
      names,
      [0, 1, 2].map((member) => `${cluster}-member${member}`),
    );
  }
});

test("no member serves before all initial members run, nor at an unused address", async () => {
  const { members, dial } = await simulated(1);
  members.remove(`${clusterName(0)}-member2`);
  for (const client of [dial(0, 0), dial(7, 0)]) {
    await assert.rejects(client.status(), (error) => error instanceof EtcdError && error.code === "unavailable");
  }
  members.add(`${clusterName(0)}-another`, addressOf(0, 2));
  assert.equal((await dial(0, 0).members()).length, SIZE);
});

test("others may listen on the same port: only the addresses of members are taken", async () => {
  const { dial, port } = await simulated(1);
  await dial(0, 0).status();
  const other = createServer();
  other.listen(port, "127.0.0.1");
  await once(other, "listening");
  other.close();
});

test("what no member can do is refused, so that it does not go unnoticed", async () => {
  const { dial } = await simulated(1);
  await assert.rejects(
    dial(0, 0).hashKeyValues(0n),
    (error) => error instanceof EtcdError && error.code === "unsupported",
  );
});

test("questions are counted from a mark on, and clusters once each", async () => {
  const { server, dial } = await simulated(3);
  await dial(0, 0).members();
  server.mark();
  const startedMs = Date.now();
  for (const index of [1, 2, 2]) await dial(index, 0).members();
  const { calls, clusters, lastClusterAtMs } = server.asked;
  assert.deepEqual(calls, { [MEMBER_LIST]: 3 });
  assert.equal(clusters, 2);
  assert.ok(lastClusterAtMs >= startedMs && lastClusterAtMs <= Date.now());
});
