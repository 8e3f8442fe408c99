import assert from "node:assert/strict";
import { EtcdError } from "@etcd-operator/etcd-client";
import { EtcdUnderTest } from "@etcd-operator/testing/cluster/etcd-under-test.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, beforeAll, describe, test } from "vitest";
import type { EtcdMember, MembershipSeen } from "../../model/observation.ts";
import { type Answers, askMembers, type MemberToAsk } from "./ask-members.ts";

const TIMEOUT_MS = 2_000;

// One cluster's life: each test leaves it as it found it, until the last ones take it apart.
describe("members of a real cluster, asked all at once", () => {
  let cluster: EtcdUnderTest;
  let other: EtcdUnderTest;
  let id: string;
  let otherId: string;

  beforeAll(async () => {
    cluster = await EtcdUnderTest.start("3.5.16", "a", "b", "c");
    other = await EtcdUnderTest.start("3.4.23", "x");
    [id, otherId] = [await cluster.clusterId(), await other.clusterId()];
  });
  afterAll(async () => {
    await cluster?.stop();
    await other?.stop();
  });

  const membersOf = (of: EtcdUnderTest, ...names: readonly string[]): MemberToAsk[] =>
    names.map((name) => ({
      uid: name,
      memberId: undefined,
      peerUrl: `http://${name}.elsewhere:2380`,
      isLeaving: false,
      line: async () => ({ kind: "open", client: of.clientOf(name) }),
      renewedLine: async () => undefined,
    }));
  const ask = (members: readonly MemberToAsk[], clusterId: string | undefined, signal = new AbortController().signal) =>
    askMembers(members, { clusterId, timeoutMs: TIMEOUT_MS, signal });
  const abc = () => membersOf(cluster, "a", "b", "c");

  test("report that they are healthy, the leader, and the list of members", async () => {
    const { answers, membership, alarms } = await ask(abc(), id);
    const ids = new Set<string>();
    for (const { health, status, why } of answers.values()) {
      assert.deepEqual([health, why], ["healthy", undefined]);
      assert.deepEqual([status?.clusterId, status?.version, status?.isLearner], [id, "3.5.16", false]);
      assert.ok((status?.databaseSizeBytes ?? 0) > 0);
      ids.add(status?.memberId ?? "");
    }
    const leaders = new Set([...answers.values()].map(({ status }) => status?.leaderId));
    assert.equal(leaders.size, 1);
    assert.ok(ids.has([...leaders][0] ?? ""));
    const listed = listIn(membership, "confirmed");
    assert.deepEqual(listed.map(({ name }) => name).sort(), ["a", "b", "c"]);
    assert.deepEqual(new Set(listed.map(({ id }) => id)), ids);
    assert.match(listed[0]?.peerUrls[0] ?? "", /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.deepEqual(alarms, []);
  });

  test("count for nothing when they belong to another cluster than the recorded one", async () => {
    const { answers, membership } = await ask([...abc(), ...membersOf(other, "x")], id);
    const stranger = answers.get("x");
    assert.deepEqual([stranger?.health, stranger?.otherClusterId, stranger?.status], ["unknown", otherId, undefined]);
    assert.match(stranger?.why ?? "", new RegExp(`member of etcd cluster ${otherId} responds at .*; expected ${id}`));
    assert.equal(answers.get("a")?.health, "healthy");
    assert.equal(listIn(membership, "confirmed").length, 3);
  });

  test("are all foreign when the recorded id is none", async () => {
    const { answers, membership } = await ask(abc(), "no id");
    assert.deepEqual(
      [...answers.values()].map(({ otherClusterId }) => otherClusterId),
      Array(3).fill(id),
    );
    assert.deepEqual(membership, { kind: "unknown" });
  });

  test("need not be of a recorded cluster as long as all say the same", async () => {
    const { answers, membership } = await ask(abc(), undefined);
    assert.equal(answers.get("b")?.status?.clusterId, id);
    assert.equal(listIn(membership, "confirmed").length, 3);
  });

  test("leave the membership open while none is recorded and they disagree", async () => {
    const { answers, membership } = await ask([...abc(), ...membersOf(other, "x")], undefined);
    assert.deepEqual([answers.get("a")?.status?.clusterId, answers.get("x")?.status?.clusterId], [id, otherId]);
    assert.equal(answers.get("x")?.health, "healthy");
    assert.deepEqual(membership, { kind: "unknown" });
  });

  test("of 3.4 confirm the list by the read before it", async () => {
    const { membership } = await ask(membersOf(other, "x"), otherId);
    assert.deepEqual(
      listIn(membership, "confirmed").map(({ name }) => name),
      ["x"],
    );
  });

  test("are not seen when another member answers at the address", async () => {
    const [a, b, c] = abc();
    assert.ok(a && b && c);
    const { answers, membership } = await ask([{ ...a, memberId: "abc" }, b, c], id);
    assert.equal(answers.get("a")?.health, "unknown");
    assert.match(answers.get("a")?.why ?? "", /another member responds at .*: its ID is [0-9a-f]+, expected abc/);
    assert.equal(listIn(membership, "confirmed").length, 3);
  });

  test("are themselves when only what is written down about them is wrong", async () => {
    const [a] = abc();
    assert.ok(a);
    const member = (await cluster.list()).find(({ name }) => name === "a");
    const peerUrl = member?.peerUrls[0] ?? "";
    const { answers, membership } = await ask([{ ...a, memberId: "abc", peerUrl }], id);
    assert.equal(answers.get("a")?.status?.memberId, member?.id.toString(16));
    assert.equal(membership.kind, "confirmed");
  });

  test("are not seen when there is no way to them", async () => {
    const barred = { kind: "barred", why: "Secret 'prod/x' does not exist" } as const;
    const [a, ...rest] = abc();
    assert.ok(a);
    const { answers } = await ask([{ ...a, line: async () => barred }, ...rest], id);
    assert.deepEqual(answers.get("a"), { health: "unknown", why: barred.why });
  });

  test("are asked a second time, over a better way, after a failed handshake", async () => {
    const [a, ...rest] = abc();
    assert.ok(a);
    const refused = async () => Promise.reject(tlsFailure());
    const client = { ...cluster.clientOf("a"), status: refused, range: refused };
    const locked = { ...a, line: async () => ({ kind: "open", client }) as const };
    const { answers } = await ask([locked, { ...locked, uid: "a2", renewedLine: a.line }, ...rest], id);
    assert.deepEqual(answers.get("a"), { health: "unknown", why: tlsFailure().message });
    assert.equal(answers.get("a2")?.health, "healthy");
  });

  test("are not seen when the request is cancelled", async () => {
    const giveUp = new AbortController();
    const asking = ask(abc(), id, giveUp.signal);
    giveUp.abort(new Error("enough"));
    await assert.rejects(asking, /enough/);
  });

  test("that do not answer are unknown, and the others answer for the cluster", async () => {
    cluster.pause("c");
    try {
      const { answers, membership } = await untilSeen(
        () => ask(abc(), id),
        ({ answers: seen }) => seen.get("a")?.health === "healthy" && seen.get("b")?.health === "healthy",
      );
      assert.deepEqual([answers.get("c")?.health, answers.get("c")?.status], ["unknown", undefined]);
      assert.match(answers.get("c")?.why ?? "", /no answer within 2000 ms/);
      assert.equal(listIn(membership, "confirmed").length, 3);
      const knowing = abc().map((member) => ({ ...member, isKnownSilent: member.uid === "c" }));
      const again = (await ask(knowing, id)).answers;
      assert.match(again.get("c")?.why ?? "", /no answer within 250 ms/);
      assert.deepEqual([again.get("a")?.health, again.get("c")?.isSilent], ["healthy", true]);
      const busy = knowing.map((member) => ({ ...member, isDefragmenting: async () => member.uid === "c" }));
      assert.equal((await ask(busy, id)).answers.get("c")?.isDefragmenting, true);
    } finally {
      await cluster.resume("c");
    }
  });

  test("that are learners are healthy when they know the leader, and the list comes from the voters", async () => {
    await cluster.join("d");
    const { answers, membership } = await ask([...membersOf(cluster, "d"), ...abc()], id);
    assert.deepEqual([answers.get("d")?.health, answers.get("d")?.status?.isLearner], ["healthy", true]);
    const listed = listIn(membership, "confirmed").map(({ name, isLearner }) => `${name} ${isLearner}`);
    assert.deepEqual(listed.sort(), ["a false", "b false", "c false", "d true"]);

    assert.deepEqual((await ask(membersOf(cluster, "d"), id)).membership, { kind: "unknown" });
  });

  test("without a majority are unhealthy, and their list is not confirmed", async () => {
    await Promise.all(["b", "c"].map((name) => cluster.kill(name)));
    // The learner goes on to name a leader, dead or alive: no voter confirms it.
    const { answers: early } = await untilSeen(
      () => ask([...abc(), ...membersOf(cluster, "d")], id),
      ({ answers: seen }) => seen.get("a")?.status?.leaderId === undefined,
    );
    assert.deepEqual([early.get("d")?.health, early.get("d")?.status?.isLearner], ["unhealthy", true]);
    assert.match(early.get("d")?.why ?? "", /no healthy voter confirms the leader/);
    await cluster.kill("d");
    const { answers, membership } = await ask([...abc(), ...membersOf(cluster, "d")], id);
    assert.equal(answers.get("a")?.health, "unhealthy");
    assert.ok(answers.get("a")?.why);
    assert.equal(answers.get("a")?.status?.clusterId, id);
    for (const name of ["b", "c", "d"]) assert.equal(answers.get(name)?.health, "unknown");
    assert.equal(listIn(membership, "unconfirmed").length, 4);
  });

  test("of whom none answers leave everything open", async () => {
    await cluster.kill("a");
    const { answers, membership } = await ask(abc(), id);
    assert.deepEqual(
      [...answers.values()].map(({ health }) => health),
      ["unknown", "unknown", "unknown"],
    );
    assert.deepEqual(membership, { kind: "unknown" });
    assert.deepEqual(await ask([], id), { answers: new Map(), membership, alarms: [] });
  });
});

function listIn(membership: MembershipSeen, kind: "confirmed" | "unconfirmed"): readonly EtcdMember[] {
  assert.equal(membership.kind, kind);
  return membership.members;
}

/** While the leader is away the others elect a new one. */
async function untilSeen(ask: () => Promise<Answers>, isSeen: (answers: Answers) => boolean): Promise<Answers> {
  return until(
    async () => {
      const answers = await ask();
      return isSeen(answers) && answers;
    },
    { what: "the members to see what was waited for" },
  );
}

function tlsFailure(): EtcdError {
  return new EtcdError("tls", { operation: "status", endpoint: "x", reason: "the certificate has expired" });
}
