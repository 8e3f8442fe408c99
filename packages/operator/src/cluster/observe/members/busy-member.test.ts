import { connectEtcd, type EtcdClient, isDefragmenting } from "@etcd-operator/etcd-client";
import { type EtcdProcess, startEtcd } from "@etcd-operator/testing/etcd-process.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askMembers } from "./ask-members.ts";

const MEBIBYTE = 1 << 20;

let etcd: EtcdProcess;
let client: EtcdClient;
beforeAll(async () => {
  etcd = await startEtcd({ version: "3.5.30" });
  client = connectEtcd({ address: new URL(etcd.clientUrl).host });
});
afterAll(async () => {
  client?.close();
  await etcd?.stop();
});

test("a real member that does not answer because its database is being defragmented is busy, and healthy afterwards", async () => {
  const value = Buffer.alloc(MEBIBYTE, "x");
  for (let key = 0; key < 48; key++) await client.put({ key: `filler-${key}`, value });
  const { signal } = new AbortController();
  const ask = async (timeoutMs: number) => {
    const member = {
      uid: "a",
      memberId: undefined,
      peerUrl: "http://a.elsewhere:2380",
      isLeaving: false,
      line: async () => ({ kind: "open", client }) as const,
      renewedLine: async () => undefined,
      isDefragmenting: () => isDefragmenting(new URL(etcd.clientUrl).host, { timeoutMs: 2_000, signal }),
    };
    const { answers } = await askMembers([member], { clusterId: undefined, timeoutMs, signal });
    return answers.get("a");
  };
  let isSeen = false;
  // One defragmentation may be over before it is asked for.
  const defragmenting = (async () => {
    while (!isSeen) await client.defragment({ timeoutMs: 60_000 });
  })();
  const busy = await until(
    async () => {
      const answer = await ask(20);
      return answer?.isDefragmenting ? answer : undefined;
    },
    { what: "the member to be busy" },
  );
  isSeen = true;
  await defragmenting;
  expect(busy).toMatchObject({ health: "unknown", why: expect.stringContaining("is being defragmented") });
  await until(async () => (await ask(5_000))?.health === "healthy", { what: "the member to be healthy" });
}, 60_000);
