import assert from "node:assert/strict";
import { createLogger } from "@etcd-operator/controller-runtime";
import { KubernetesError, type KubernetesErrorCode } from "@etcd-operator/kubernetes-client";
import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
import { beforeEach, describe, test } from "vitest";
import { SCHEMA_REVISION, SCHEMA_REVISION_ANNOTATION } from "../api/crd/custom-resource-definition.ts";
import { ownResources } from "../objects/own-resources.ts";
import { CrdRevisions, type CrdRevisionsOptions } from "./crd-revisions.ts";

const CLUSTERS = "etcdclusters.etcd.database.coreos.com";

let clock: FakeClock;
let stored: Map<string, string | undefined>;
let failure: KubernetesErrorCode | undefined;
let asked: number;
let lines: { level: string; msg: string }[];
const abort = new AbortController();

beforeEach(() => {
  clock = new FakeClock();
  stored = new Map([[CLUSTERS, String(SCHEMA_REVISION)]]);
  failure = undefined;
  asked = 0;
  lines = [];
});

function revisions(more: Partial<CrdRevisionsOptions> = {}): CrdRevisions {
  const client = {
    async request<Answer>(_: unknown, path: string): Promise<Answer> {
      asked += 1;
      if (failure) throw new KubernetesError(failure, { operation: path, message: "scripted" });
      const revision = stored.get(path.split("/").at(-1) ?? "");
      return {
        metadata: { annotations: revision === undefined ? {} : { [SCHEMA_REVISION_ANNOTATION]: revision } },
      } as Answer;
    },
  };
  const logger = createLogger({ write: (line) => lines.push(JSON.parse(line)) });
  return new CrdRevisions({ client, kinds: [ownResources.etcdClusters], logger, clock, random: () => 0.5, ...more });
}

function started(found: CrdRevisions): () => boolean {
  let isOver = false;
  void found.waitUntilCurrent(abort.signal).then(() => {
    isOver = true;
  });
  return () => isOver;
}

describe("an operator that does not create CRDs", () => {
  test.each(["1", undefined])(
    "waits while theirs is older (revision %s), and says which and what to do",
    async (revision) => {
      stored.set(CLUSTERS, revision);
      const found = revisions();
      const isOver = started(found);
      await clock.advance(60_000);
      assert.ok(!isOver());
      assert.match(found.complaints.join(), /^CRD 'etcdclusters..* is older .*applies deploy\/crd of this release/);
      assert.equal(found.complaintOf("EtcdCluster"), found.complaints[0]);
      assert.equal(lines.length, 1, "once is enough");
      stored.set(CLUSTERS, String(SCHEMA_REVISION));
      await clock.advance(20_000);
      assert.ok(isOver());
      assert.deepEqual([found.complaints, found.complaintOf("EtcdCluster")], [[], undefined]);
    },
  );

  test("goes on at once beside newer ones", async () => {
    stored.set(CLUSTERS, String(SCHEMA_REVISION + 1));
    const isOver = started(revisions());
    await clock.advance(0);
    assert.ok(isOver());
  });

  test("goes on without the right to read them, and asks no more", async () => {
    failure = "forbidden";
    const found = revisions();
    const isOver = started(found);
    await clock.advance(0);
    assert.ok(isOver());
    await found.watch(abort.signal);
    assert.equal(asked, 1);
    assert.match(lines[0]?.msg ?? "", /no permission to read CRDs/);
  });

  test("waits while it cannot ask", async () => {
    failure = "unavailable";
    const isOver = started(revisions());
    await clock.advance(5_000);
    assert.ok(!isOver());
    failure = undefined;
    await clock.advance(20_000);
    assert.ok(isOver());
  });

  test("notices that an older one has taken the place of its own, and that it is back", async () => {
    const found = revisions();
    void found.watch(abort.signal);
    stored.set(CLUSTERS, "1");
    await clock.advance(720_000);
    assert.match(found.complaintOf("EtcdCluster") ?? "", /older/);
    stored.set(CLUSTERS, String(SCHEMA_REVISION));
    await clock.advance(18_000);
    assert.equal(found.complaintOf("EtcdCluster"), undefined);
  });
});

test("an operator that may, puts its own in the place of an older one", async () => {
  const found = revisions({
    upgrade: async () => {
      stored.set(CLUSTERS, String(SCHEMA_REVISION));
    },
  });
  void found.watch(abort.signal);
  stored.set(CLUSTERS, "1");
  await clock.advance(720_000);
  assert.deepEqual([stored.get(CLUSTERS), found.complaints], [String(SCHEMA_REVISION), []]);
});
