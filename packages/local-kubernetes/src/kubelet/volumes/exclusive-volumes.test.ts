import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import { ClusterUnderTest } from "@etcd-operator/testing/kubelet/cluster-under-test.ts";
import { aPod } from "@etcd-operator/testing/local/stored-objects.ts";
import { describe, test } from "vitest";
import { nodePlaces } from "../../supervisor/node-places.ts";
import type { NodeContext } from "../node-context.ts";
import { checkVolumesAreFree, usersElsewhere } from "./exclusive-volumes.ts";

const volumes = [{ name: "v", persistentVolumeClaim: { claimName: "data" } }];
const user = (name: string, nodeName: string, phase = "Running", isGoing = false) =>
  aPod(name, { phase, isGoing, spec: { nodeName, volumes } });

describe("a volume is in use", () => {
  test.each<[string, ReturnType<typeof user>, string[]]>([
    ["by a pod on another node", user("a", "local-2"), ["a"]],
    ["by a pod that is being deleted, as it may not have ended", user("a", "local-2", "Running", true), ["a"]],
    ["not by one that has ended", user("a", "local-2", "Failed"), []],
    ["not by one on the same node, which may share it", user("a", "local"), []],
    ["not by one that has no node yet", aPod("a", { spec: { volumes } }), []],
    ["not by one that does not name it", aPod("a", { spec: { nodeName: "local-2" } }), []],
  ])("%s", (_, pod, expected) => assert.deepEqual(usersElsewhere([pod], "data", "local"), expected));
});

test.each([
  { mode: "ReadWriteOnce", isRefused: true },
  { mode: "ReadWriteMany", isRefused: false },
])("a pod that needs a $mode volume of another node is refused: $isRefused", async ({ mode, isRefused }) => {
  const client = new ClusterUnderTest();
  await client.create(resources.pods, user("first", "local-2"));
  const metadata = { name: "data", namespace: "ns" };
  await client.create(resources.persistentVolumeClaims, { metadata, spec: { accessModes: [mode], volumeName: "pv" } });
  const config = { nodes: nodePlaces("10.88.0.0/17", [1, 2]), nodeName: "local" };
  const check = checkVolumesAreFree({ client, config } as unknown as NodeContext, user("second", "local"));
  if (!isRefused) return check;
  const message = 'Multi-Attach error for volume "pv" Volume is already used by pod(s) first';
  await assert.rejects(check, { code: "volume-in-use", message });
});
