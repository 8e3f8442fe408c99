import { connectEtcd, type EtcdClient, EtcdError } from "@etcd-operator/etcd-client";
import { type EtcdProcess, startEtcd } from "@etcd-operator/testing/etcd-process.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MembersUnderTest } from "./members-under-test.ts";

const VERSION = "3.5.16";
const UNKNOWN = 0x1234n;

const idAt = async (client: EtcdClient, peerUrl: string) =>
  (await client.members()).find(({ peerUrls }) => peerUrls.includes(peerUrl))?.id ?? 0n;
const add = (name: string, asLearner: boolean) => (client: EtcdClient) =>
  client.addMember({ peerUrls: [`http://${name}:2380`], asLearner });

// In this order, on one cluster of one member: each step sees what the steps before it have done.
const STEPS: readonly (readonly [string, (client: EtcdClient) => Promise<unknown>])[] = [
  ["a member that is not there is removed", (client) => client.removeMember(UNKNOWN)],
  ["a member that is not there is promoted", (client) => client.promoteMember(UNKNOWN)],
  ["the only member is removed", async (client) => client.removeMember((await client.status()).memberId)],
  ["a voter is promoted", async (client) => client.promoteMember((await client.status()).memberId)],
  ["the leader hands over to an unknown member", (client) => client.moveLeader(UNKNOWN)],
  ["a learner is added", add("learner.invalid", true)],
  ["the same learner is added again", add("learner.invalid", true)],
  ["a second learner is added", add("second.invalid", true)],
  [
    "a learner that has not started is promoted",
    async (client) => client.promoteMember(await idAt(client, "http://learner.invalid:2380")),
  ],
  [
    "the members are listed",
    // By their ids, which are hashes; so in any order.
    async (client) => (await client.members()).map((each) => `${each.name !== ""} ${each.isLearner}`).sort(),
  ],
  [
    "a learner is removed",
    async (client) => (await client.removeMember(await idAt(client, "http://learner.invalid:2380"))).length,
  ],
  ["a key is written", async (client) => (await client.put({ key: "k", value: "v" })).revision],
  [
    "a key is read",
    async (client) => (await client.range({ key: "k" })).keyValues.map(({ modRevision }) => modRevision),
  ],
  ["a revision to come is read", (client) => client.range({ key: "k", revision: 99n })],
  ["a revision to come is hashed", (client) => client.hashKeyValues(99n)],
  ["a revision to come is compacted", (client) => client.compact(99n)],
  ["what was written before is compacted", (client) => client.compact(2n)],
  ["the same is compacted again", (client) => client.compact(2n)],
  [
    "a transaction compares and writes",
    async (client) => {
      const compare = [{ key: "k", target: "version", is: "=", to: 1n } as const];
      const { succeeded, revision } = await client.transaction({ compare, success: [{ kind: "delete", key: "k" }] });
      return [succeeded, revision];
    },
  ],
  ["nothing is deleted", async (client) => (await client.delete({ key: "k" })).revision],
  ["alarms are asked for", (client) => client.alarms()],
  ["the version of the cluster is asked for", (client) => client.clusterVersion()],
  ["a downgrade by two minors is looked into", (client) => client.downgrade("validate", "3.3")],
  ["no downgrade is called off", (client) => client.downgrade("cancel", "")],
  ["users are asked for", (client) => client.isAuthEnabled()],
  ["a member of another cluster is asked", (client) => client.status({ expectClusterId: 1n })],
  ["a second voter is added", async (client) => (await add("voter.invalid", false)(client)).isLearner],
  ["something is read without a majority", (client) => client.range({ key: "k" }, { timeoutMs: 300 })],
  ["something is read of its own copy", async (client) => (await client.range({ key: "k", serializable: true })).count],
  ["its own list is asked for", async (client) => (await client.members({ linearizable: false })).length],
];

async function outcomeOf(step: (client: EtcdClient) => Promise<unknown>, client: EtcdClient): Promise<unknown> {
  try {
    const answer = await step(client);
    return answer === undefined || (typeof answer === "object" && !Array.isArray(answer)) ? "done" : answer;
  } catch (error) {
    if (error instanceof EtcdError) return error.code;
    throw error;
  }
}

describe("the model answers as a real etcd does when", () => {
  const members = new MembersUnderTest();
  let real: EtcdProcess;
  let client: EtcdClient;
  beforeAll(async () => {
    real = await startEtcd({ version: VERSION });
    client = connectEtcd({ address: new URL(real.clientUrl).host });
    members.start("m", { version: VERSION });
    await members.clock.advance(10_000);
  });
  afterAll(async () => {
    client?.close();
    await real?.stop();
  });

  test.each(STEPS)("%s", async (_, step) => {
    const [expected, found] = await Promise.all([
      outcomeOf(step, client),
      members.during(outcomeOf(step, members.client("m"))),
    ]);
    expect(found).toEqual(expected);
  });
});
