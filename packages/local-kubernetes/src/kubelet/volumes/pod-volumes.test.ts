import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
import { stored } from "@etcd-operator/testing/local/stored-objects.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { onTestFinished, test } from "vitest";
import { KubeletError } from "../kubelet-error.ts";
import type { NodeContext } from "../node-context.ts";
import { podPaths } from "../pod-paths.ts";
import { prepareVolumes } from "./pod-volumes.ts";

const items = [{ path: "name", fieldRef: { fieldPath: "metadata.name" } }];
const pod = stored<Pod>("a", { spec: { containers: [], volumes: [{ name: "about", downwardAPI: { items } }] } });

test("a volume that the file system refuses is told of by its name, without paths of the machine", async () => {
  const stateDir = mkdtempSync(join(tmpdir(), "volumes-"));
  onTestFinished(() => rmSync(stateDir, { recursive: true }));
  const folder = podPaths(stateDir, pod.metadata.uid).volume("about");
  mkdirSync(dirname(folder), { recursive: true });
  writeFileSync(folder, "in the way");
  const context = { config: { stateDir, nodeIp: "10.0.0.1" }, clock: new FakeClock() } as unknown as NodeContext;
  await assert.rejects(prepareVolumes(context, pod, "10.0.0.2"), (error) => {
    assert.ok(error instanceof KubeletError);
    const why = "EEXIST: file already exists, mkdir";
    assert.equal(error.message, `MountVolume.SetUp failed for volume "about" : ${why}`);
    return error.code === "set-up-failed";
  });
});
