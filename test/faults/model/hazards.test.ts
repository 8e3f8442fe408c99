import { formatLogReached } from "@etcd-operator/operator/cluster/guard/log-reached.ts";
import { exitCodeOf } from "@etcd-operator/operator/cluster/guard/refusal.ts";
import { GUARD_VARIABLES } from "@etcd-operator/operator/cluster/guard/variables.ts";
import { expect, test } from "vitest";
import { Disk } from "./etcd/disk.ts";
import { guardOn } from "./kubelet/guard-program.ts";
import { MembersUnderTest } from "./members-under-test.ts";

// The three ways to lose data, by the steps of an operator that does not know of them. The model has to show the loss:
// a suite on a model in which nothing can be lost would prove nothing.

async function readsW(members: MembersUnderTest, name: string): Promise<number> {
  return (await members.during(members.client(name).range({ key: "w" }))).count;
}

test("a member that lost its disk and starts again as the same member loses a write that was acknowledged", async () => {
  const members = new MembersUnderTest();
  await members.found("l", "f", "c");
  members.etcd.kill("c");
  await members.clock.advance(5_000);
  await members.during(members.client("f").put({ key: "w", value: "1" }));
  members.etcd.kill("f");
  members.etcd.kill("l");
  members.disk("f").wipe();
  members.start("c", { peers: ["l", "f"] });
  await members.clock.advance(2_000);
  members.start("f", { state: "existing", peers: ["l", "c"] });
  await members.clock.advance(10_000);
  expect(await readsW(members, "c")).toBe(0);
  await members.during(members.client("c").put({ key: "x", value: "new writes succeed" }));
  expect(members.etcd.facts.violations.join()).toMatch(/f starts empty .* whose votes the others rely on/);
  expect(members.etcd.facts.violations.join()).toMatch(
    /leads .* without entry \d+ of term \d+, which a client was told/,
  );
  const [{ clusterId } = { clusterId: 0n }] = members.etcd.facts.clusters;
  expect(members.etcd.lostWrites(clusterId).length).toBeGreaterThan(0);
});

test("so does one that starts on an older copy of its own disk, which the guard refuses if it knows the log position", async () => {
  const members = new MembersUnderTest();
  await members.found("l", "f", "c");
  const copy = new Disk("copy");
  copy.copyFrom(members.disk("f"));
  members.etcd.kill("c");
  await members.clock.advance(5_000);
  await members.during(members.client("f").put({ key: "w", value: "1" }));
  await members.during(members.client("f").put({ key: "v", value: "1" }));
  const { memberId, clusterId, raftTerm, raftAppliedIndex } = await members.client("f").status();
  members.etcd.kill("f");
  members.etcd.kill("l");
  const reached = { term: Number(raftTerm), index: Number(raftAppliedIndex), revision: 2, at: "" };
  const variables = new Map<string, string>([
    [GUARD_VARIABLES.start, "returning"],
    [GUARD_VARIABLES.memberId, memberId.toString(16)],
    [GUARD_VARIABLES.clusterId, clusterId.toString(16)],
    [GUARD_VARIABLES.logReached, formatLogReached(reached)],
  ]);
  expect(guardOn(members.disk("f"), variables).exitCode).toBe(0);
  expect(guardOn(copy, variables).exitCode).toBe(exitCodeOf("log-behind"));
  members.disk("f").copyFrom(copy);
  members.start("c", { peers: ["l", "f"] });
  await members.clock.advance(2_000);
  members.start("f", { state: "existing", peers: ["l", "c"] });
  await members.clock.advance(10_000);
  expect(await readsW(members, "c")).toBe(0);
  expect(members.etcd.lostWrites(clusterId).length).toBeGreaterThan(0);
});

test("under a steady leader the same member panics, which hides the danger", async () => {
  const members = new MembersUnderTest();
  await members.found("a", "b", "c");
  await members.during(members.client("a").put({ key: "w", value: "1" }));
  const follower = ["a", "b", "c"].find((name) => name !== members.leader()) ?? "";
  members.etcd.kill(follower);
  members.disk(follower).wipe();
  const others = ["a", "b", "c"].filter((name) => name !== follower);
  const process = members.start(follower, { state: "existing", peers: others });
  await members.clock.advance(5_000);
  const { exitCode, message } = await process.ended;
  expect([exitCode, message]).toEqual([2, expect.stringContaining("tocommit")]);
  expect(await readsW(members, others[0] ?? "")).toBe(1);
});

test("two wiped members with 'new' and the previous token make an empty cluster with the same id", async () => {
  const members = new MembersUnderTest();
  await members.found("a", "b", "c");
  await members.during(members.client("a").put({ key: "w", value: "1" }));
  const { clusterId: before } = await members.client("a").status();
  for (const name of ["a", "b", "c"]) members.etcd.kill(name);
  for (const name of ["a", "b"]) members.disk(name).wipe();
  members.start("a", { peers: ["b", "c"] });
  members.start("b", { peers: ["a", "c"] });
  await members.clock.advance(10_000);
  expect((await members.client("a").status()).clusterId).toBe(before);
  expect(await readsW(members, "a")).toBe(0);
  expect(members.etcd.facts.violations.length).toBeGreaterThan(0);
});

test("a token of its own keeps a new cluster from having the id of the old one", async () => {
  const members = new MembersUnderTest();
  await members.found("a");
  const { clusterId: before } = await members.client("a").status();
  members.etcd.kill("a");
  members.disk("a").wipe();
  members.start("a", { token: "another" });
  await members.clock.advance(5_000);
  expect((await members.client("a").status()).clusterId).not.toBe(before);
});

test("two voters that never start are accepted, and one more failure then stops all writes", async () => {
  const members = new MembersUnderTest();
  await members.found("a", "b", "c");
  for (const name of ["d", "e"]) {
    await members.client("a").addMember({ peerUrls: [members.url(name)], asLearner: false });
  }
  members.etcd.kill("c");
  await members.clock.advance(5_000);
  const write = members.during(members.client("a").put({ key: "x", value: "1" }));
  await expect(write).rejects.toMatchObject({ code: "deadline" });
  expect(members.etcd.facts.addsBesideUnstarted).toHaveLength(1);
});

test("the second voter stalls writes and even the list of members until it starts", async () => {
  const members = new MembersUnderTest();
  await members.found("a");
  await members.client("a").addMember({ peerUrls: [members.url("b")], asLearner: false });
  await expect(members.during(members.client("a").members())).rejects.toMatchObject({ code: "deadline" });
  expect(await members.client("a").members({ linearizable: false })).toHaveLength(2);
  members.start("b", { state: "existing", peers: ["a"] });
  await members.clock.advance(10_000);
  expect((await members.during(members.client("a").members())).map(({ name }) => name)).toEqual(["a", "b"]);
});
