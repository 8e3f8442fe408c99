import assert from "node:assert/strict";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { aMemberPod } from "@etcd-operator/testing/cluster/a-member-pod.ts";
import { anEtcdCluster } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import type { Pod, Secret } from "kubernetes-types/core/v1.d.ts";
import { test } from "vitest";
import { RESTORE_UID_ANNOTATION } from "../../api/restore-request.ts";
import { ANNOTATIONS } from "../objects/annotations.ts";
import { podsWithoutSecret } from "./pods-without-secret.ts";

function aPod(member: string, annotations: Record<string, string>, phase = "Pending"): Stored<Pod> {
  return aMemberPod(anEtcdCluster(), { member, metadata: { annotations }, status: { phase } });
}

const waiting = { [RESTORE_UID_ANNOTATION]: "r1" };

test("a pod that waits for a snapshot is distinguished from one that has its Secret; no other is read", async () => {
  const asked: string[] = [];
  const source = {
    secret: async (name: string) => {
      asked.push(name);
      return name === "b-transfer" ? ({} as Stored<Secret>) : undefined;
    },
  };
  const pods = [
    aPod("a", waiting),
    aPod("b", waiting),
    aPod("runs", waiting, "Running"),
    aPod("joined", { ...waiting, [ANNOTATIONS.memberId]: "a1" }),
    aPod("other", {}),
  ];
  assert.deepEqual([...(await podsWithoutSecret(pods, source))], ["uid-of-a"]);
  assert.deepEqual(asked, ["a-transfer", "b-transfer"]);
});
