import { SnapshotCheck, snapshotContents } from "@etcd-operator/etcd-client";
import { readingFrom, snapshotBytes } from "@etcd-operator/testing/etcd/snapshot-bytes.ts";
import { describe, expect, test } from "vitest";
import { MembersUnderTest } from "./members-under-test.ts";

const three = async () => {
  const members = new MembersUnderTest();
  await members.found("a", "b", "c");
  return members;
};

describe("starting", () => {
  test("initial members with the same flags make one cluster with one leader", async () => {
    const members = await three();
    const told = await Promise.all(["a", "b", "c"].map((name) => members.client(name).status()));
    expect(new Set(told.map(({ clusterId }) => clusterId)).size).toBe(1);
    expect(new Set(told.map(({ leaderId }) => leaderId)).size).toBe(1);
    expect(told[0]?.leaderId).toBeDefined();
  });

  test.each([
    [
      "existing, told of no member but itself",
      { state: "existing" as const },
      /could not retrieve cluster information/,
    ],
    ["not in the list of members", { state: "existing" as const, peers: ["a"] }, /member count is unequal/],
    ["with a flag that its version does not know", { more: ["--max-learners=2"] }, /flag provided but not defined/],
  ])("one that is %s ends", async (_, given, why) => {
    const members = new MembersUnderTest();
    await members.found("a");
    const process = members.start("d", given);
    await members.clock.advance(5_000);
    expect((await process.ended).message).toMatch(why);
  });

  test("one with a log starts from it, whatever its flags are", async () => {
    const members = await three();
    members.etcd.kill("b");
    members.start("b", { state: "existing" });
    await members.clock.advance(5_000);
    expect((await members.client("b").health()).health).toBe("healthy");
    expect(members.etcd.facts.violations).toEqual([]);
  });

  test("an initial member that lost its data later learns that from the others, and ends", async () => {
    const members = await three();
    members.etcd.kill("b");
    members.disk("b").wipe();
    const process = members.start("b", { peers: ["a", "c"] });
    await members.clock.advance(5_000);
    expect((await process.ended).message).toMatch(/has already been bootstrapped/);
  });

  test("two on one volume are on record, and the second waits", async () => {
    const members = new MembersUnderTest();
    await members.found("a");
    members.start("other", { disk: "a" });
    await members.clock.advance(5_000);
    expect(members.etcd.facts.violations).toEqual(["other and a run on one volume at once"]);
  });

  test("an older minor than the cluster speaks does not start", async () => {
    const members = new MembersUnderTest();
    await members.found("a");
    members.etcd.kill("a");
    const process = members.start("a", { version: "3.4.23" });
    await members.clock.advance(5_000);
    expect((await process.ended).message).toMatch(/invalid downgrade/);
  });
});

describe("membership", () => {
  test("a learner joins, is refused as a voter before it has caught up, and becomes one after", async () => {
    const members = new MembersUnderTest();
    await members.found("a");
    const { id } = await members.client("a").addMember({ peerUrls: [members.url("b")], asLearner: true });
    await expect(members.client("a").promoteMember(id)).rejects.toMatchObject({ code: "learner-not-ready" });
    members.start("b", { state: "existing", peers: ["a"] });
    await members.clock.advance(2_000);
    await expect(members.client("b").range({ key: "k" })).rejects.toMatchObject({ code: "not-for-learners" });
    expect((await members.client("b").health()).health).toBe("healthy");
    await members.client("a").promoteMember(id);
    await members.during(members.client("b").put({ key: "k", value: "v" }));
    expect((await members.client("a").range({ key: "k" })).count).toBe(1);
  });

  test("the next addition has to wait until all voters have been connected for five seconds", async () => {
    const members = new MembersUnderTest();
    await members.found("a");
    const { id } = await members.client("a").addMember({ peerUrls: [members.url("b")], asLearner: true });
    members.start("b", { state: "existing", peers: ["a"] });
    await members.clock.advance(1_000);
    await members.client("a").promoteMember(id);
    const add = () => members.client("a").addMember({ peerUrls: [members.url("c")], asLearner: true });
    await expect(add()).rejects.toMatchObject({ code: "unhealthy-cluster" });
    await members.clock.advance(5_000);
    expect((await add()).name).toBe("");
  });

  test.each([
    ["while a voter is down", "unhealthy-cluster", "d", true],
    ["with a peer URL that is taken", "already-exists", "a", false],
  ])("no member is added %s", async (_, code, name, isDown) => {
    const members = await three();
    if (isDown) members.etcd.kill("c");
    await members.clock.advance(5_000);
    const add = members.client("a").addMember({ peerUrls: [members.url(name)], asLearner: true });
    await expect(add).rejects.toMatchObject({ code });
  });

  test("there is one learner at most", async () => {
    const members = await three();
    await members.client("a").addMember({ peerUrls: [members.url("d")], asLearner: true });
    const second = members.client("a").addMember({ peerUrls: [members.url("e")], asLearner: true });
    await expect(second).rejects.toMatchObject({ code: "too-many-learners" });
  });

  test("a removed member ends with 0, and again when it is started", async () => {
    const members = await three();
    await members.client("a").removeMember(await members.idOf("c", "a"));
    await members.clock.advance(1_000);
    expect(members.etcd.facts.starts.find(({ pod }) => pod === "c")?.exitCode).toBe(0);
    const again = members.start("c");
    await members.clock.advance(5_000);
    expect((await again.ended).exitCode).toBe(0);
  });

  test("a dead member may be removed, but not one of two that are left of three", async () => {
    const members = await three();
    members.etcd.kill("c");
    await members.clock.advance(10_000);
    const alive = members.client("a").removeMember(await members.idOf("b", "a"));
    await expect(alive).rejects.toMatchObject({ code: "unhealthy-cluster" });
    expect(await members.client("a").removeMember(await members.idOf("c", "a"))).toHaveLength(2);
  });
});

describe("leadership", () => {
  test("without a majority reads and writes get no answer, and the member still reports its own list", async () => {
    const members = await three();
    members.etcd.kill("b");
    members.etcd.kill("c");
    await members.clock.advance(1_000);
    const { health } = await members.during(members.client("a").health({ timeoutMs: 2_000 }));
    expect(health).toBe("unhealthy");
    expect(await members.client("a").members({ linearizable: false })).toHaveLength(3);
    expect((await members.client("a").status()).leaderId).toBeUndefined();
  });

  test("a write that was not answered may count later: here it does, once the others are back", async () => {
    const members = await three();
    const leader = members.leader();
    const others = ["a", "b", "c"].filter((name) => name !== leader);
    for (const name of others) members.etcd.freeze(name);
    const write = members.client(leader).put({ key: "k", value: "v" }, { timeoutMs: 500 });
    await expect(members.during(write, 600)).rejects.toMatchObject({ code: "deadline" });
    for (const name of others) members.etcd.freeze(name, false);
    await members.clock.advance(5_000);
    expect((await members.client(leader).range({ key: "k" })).count).toBe(1);
    expect(members.etcd.facts.writes).toEqual([]);
  });

  test("a write that was not answered may never count: here others lead, which do not have it", async () => {
    const members = await three();
    const leader = members.leader();
    members.etcd.part([leader]);
    const write = members.client(leader).put({ key: "k", value: "v" }, { timeoutMs: 500 });
    await expect(members.during(write, 5_000)).rejects.toMatchObject({ code: "deadline" });
    members.etcd.heal();
    expect((await members.during(members.client(leader).range({ key: "k" }))).count).toBe(0);
    expect(members.etcd.facts.violations).toEqual([]);
  });

  test("a new leader is elected one or two seconds after the old one was killed, and at once when that hands over", async () => {
    const members = await three();
    const first = members.leader();
    members.etcd.kill(first);
    await members.clock.advance(900);
    expect(members.leader()).toBe("none");
    await members.clock.advance(1_200);
    const second = members.leader();
    members.start(first);
    await members.clock.advance(3_000);
    const process = members.etcd.processOf(second);
    if (process) members.etcd.stop(process);
    expect([second, "none"]).not.toContain(members.leader());
  });

  test("the side with a majority goes on, and the other follows it when they meet again", async () => {
    const members = await three();
    const [first] = [members.leader()];
    members.etcd.part([first]);
    await members.clock.advance(5_000);
    const other = members.leader();
    expect(other).not.toBe(first);
    await members.during(members.client(other).put({ key: "k", value: "v" }));
    const late = members.client(first).range({ key: "k" }, { timeoutMs: 1_000 });
    await expect(members.during(late)).rejects.toMatchObject({ code: "deadline" });
    members.etcd.heal();
    expect((await members.during(members.client(first).range({ key: "k" }))).count).toBe(1);
    expect(members.etcd.facts.violations).toEqual([]);
  });

  test("only the leader hands leadership over, and to voters only", async () => {
    const members = await three();
    const leader = members.leader();
    const [other = ""] = ["a", "b", "c"].filter((name) => name !== leader);
    const target = await members.idOf(other, "a");
    await expect(members.client(other).moveLeader(target)).rejects.toMatchObject({ code: "not-leader" });
    await members.client(leader).moveLeader(target);
    expect(members.leader()).toBe(other);
  });
});

describe("calls", () => {
  test("no server, another cluster, and a client that cancels are distinguished", async () => {
    const members = new MembersUnderTest();
    await members.found("a");
    await expect(members.client("x").status()).rejects.toMatchObject({ code: "unavailable" });
    const wrong = members.client("a").put({ key: "k", value: "v" }, { expectClusterId: 1n });
    await expect(wrong).rejects.toMatchObject({ code: "wrong-cluster" });
    expect((await members.client("a").range({ key: "k" })).count).toBe(0);
    members.etcd.freeze("a");
    const stop = new AbortController();
    const call = members.client("a").status({ signal: stop.signal });
    stop.abort();
    await expect(call).rejects.toMatchObject({ code: "canceled" });
  });

  test("a full member takes no writes until its alarm is disarmed", async () => {
    const members = new MembersUnderTest();
    await members.found("a");
    members.etcd.raise("a", "no-space");
    const client = members.client("a");
    await expect(client.put({ key: "k", value: "v" })).rejects.toMatchObject({ code: "no-space" });
    expect((await client.status()).errors.join()).toMatch(/NOSPACE/);
    for (const alarm of await client.alarms()) await client.disarm(alarm);
    await client.put({ key: "k", value: "v" });
  });

  test("a watch reports what is written, and ends with its member", async () => {
    const members = new MembersUnderTest();
    await members.found("a");
    const seen: string[] = [];
    const watching = (async () => {
      for await (const message of members.client("a").watch({ key: "k" })) seen.push(message.kind);
    })();
    await members.clock.advance(10);
    await members.client("a").put({ key: "k", value: "v" });
    await members.clock.advance(10);
    expect(seen).toEqual(["created", "events"]);
    members.etcd.kill("a");
    await members.clock.advance(10);
    await watching;
  });

  test("hashes are the same everywhere, and a snapshot passes for a real one", async () => {
    const members = await three();
    await members.during(members.client("a").put({ key: "k", value: "v" }));
    const hashes = await Promise.all(["a", "b", "c"].map((name) => members.client(name).hashKeyValues(0n)));
    expect(new Set(hashes.map(({ hash }) => hash)).size).toBe(1);
    const file = await snapshotBytes(members.client("b"));
    const check = new SnapshotCheck();
    check.update(file);
    expect(check.verdict()).toBe("ok");
    const contents = await snapshotContents(readingFrom(file).read, file.length);
    expect(contents).toMatchObject({ kind: "database", revision: 2, clusterVersion: "3.5.0" });
  });
});

describe("versions", () => {
  test("the cluster speaks the lowest minor of its members, and goes up some seconds after the last of them", async () => {
    const members = new MembersUnderTest();
    await members.found("a");
    expect(await members.client("a").clusterVersion()).toBe("3.5.0");
    members.etcd.kill("a");
    members.start("a", { version: "3.6.11" });
    await members.clock.advance(2_000);
    expect(await members.client("a").clusterVersion()).toBe("3.5.0");
    await members.clock.advance(4_000);
    expect(await members.client("a").status()).toMatchObject({ version: "3.6.11", storageVersion: "3.6.0" });
  });

  test("a downgrade lowers what the cluster speaks, and ends when all members have gone back", async () => {
    const members = new MembersUnderTest();
    members.start("a", { version: "3.6.11" });
    await members.clock.advance(5_000);
    await expect(members.client("a").downgrade("validate", "3.4")).rejects.toMatchObject({ code: "invalid" });
    await members.client("a").downgrade("enable", "3.5");
    expect((await members.client("a").status()).downgradeTarget).toBe("3.5.0");
    await members.clock.advance(5_000);
    members.etcd.kill("a");
    members.start("a", { version: "3.5.32" });
    await members.clock.advance(10_000);
    await expect(members.client("a").downgrade("cancel", "")).rejects.toMatchObject({ code: "refused" });
  });
});
