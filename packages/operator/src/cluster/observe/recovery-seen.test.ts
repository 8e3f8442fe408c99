import assert from "node:assert/strict";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { KubernetesError } from "@etcd-operator/kubernetes-client";
import { anObservation, CLUSTER_ID, gone, unknown } from "@etcd-operator/testing/cluster/an-observation.ts";
import { test } from "vitest";
import type { EtcdBackup } from "../../api/etcd-backup.ts";
import type { EtcdRestore } from "../../api/etcd-restore.ts";
import { recoverySeen } from "./recovery-seen.ts";

const BACKUP = { metadata: { name: "nightly" } } as unknown as Stored<EtcdBackup>;
const RESTORE = { metadata: { name: "example-recovery-4" } } as unknown as Stored<EtcdRestore>;
const POLICY = { recovery: { onQuorumLoss: "RestoreLatestBackup", backupName: "nightly" } };
const source = {
  backup: async (name: string) => (name === "nightly" ? BACKUP : undefined),
  restore: async (name: string) => (name === "example-recovery-4" ? RESTORE : undefined),
};
const never = {
  backup: () => assert.fail("a backup was asked for"),
  restore: () => assert.fail("a restore was asked for"),
};

function seenWith(members: Parameters<typeof gone>[], spec: object = POLICY) {
  const names = members.map(([name]) => name);
  const noted = { role: "Unknown", health: "Unknown", podHash: "h" } as const;
  const memberStatus = names.map((name) => ({ name, id: name, ...noted }));
  const status = { clusterID: CLUSTER_ID, incarnation: 4, memberStatus };
  return anObservation({
    members: members.map(([name, more]) => gone(name, more)),
    membership: "unknown",
    spec,
    status,
  });
}

test("what a restore would need is looked up when the data of a majority is gone, by the names that it has", async () => {
  const seen = await recoverySeen(seenWith([["a"], ["b"], ["c"]]), source);
  assert.deepEqual(seen, {
    backupName: "nightly",
    backup: BACKUP,
    restoreName: "example-recovery-4",
    restore: RESTORE,
  });
});

test("nothing is read while it is not, or where the user does not ask for it", async () => {
  const { pod } = unknown("a", { pod: {} });
  assert.ok(pod);
  assert.equal(await recoverySeen(seenWith([["a", { pod }], ["b", { pod }], ["c"]]), never), undefined);
  assert.equal(await recoverySeen(seenWith([["a"], ["b"], ["c"]], {}), never), undefined);
});

test.each(["forbidden", "unavailable", "timeout"] as const)(
  "an operator that cannot read it (%s) reports so, and keeps managing the members",
  async (code) => {
    const forbidden = async () => {
      throw new KubernetesError(code, { operation: "get EtcdBackup", message: "etcdbackups is forbidden" });
    };
    const seen = await recoverySeen(seenWith([["a"]]), { backup: forbidden, restore: source.restore });
    assert.equal(seen?.backup, undefined);
    assert.match(seen?.why ?? "", /etcdbackups is forbidden/);
  },
);
