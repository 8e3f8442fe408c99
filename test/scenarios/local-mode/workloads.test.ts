import assert from "node:assert/strict";
import { type LocalModeUnderTest, startLocalMode } from "@etcd-operator/testing/local/local-mode.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, beforeAll, describe, test } from "vitest";

let local: LocalModeUnderTest;
beforeAll(async () => {
  local = await startLocalMode({ operator: "none" });
});
afterAll(() => local?.dispose());

const shell = (command: string) => ({ name: "main", image: "busybox", command: ["sh", "-c", command] });

describe("workloads on local mode", () => {
  test("a Deployment rolls out while the controllers are killed", async () => {
    const labels = { app: "web" };
    const spec = { terminationGracePeriodSeconds: 1, containers: [shell("sleep 1000")] };
    await local.apply({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web" },
      spec: { replicas: 3, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    });
    await local.kubectl("rollout", "status", "deployment/web", "--timeout=30s");
    await local.kubectl("rollout", "restart", "deployment/web");
    const controllers = Number(/controllers \((\d+)\)/.exec(await local.output())?.[1]);
    process.kill(controllers, "SIGKILL");
    const rolled = await local.kubectl("rollout", "status", "deployment/web", "--timeout=30s");
    assert.match(rolled, /successfully rolled out/);
    await until(async () => (await names("pods", "app=web")).length === 3, { what: "the old pods to go" });
    await local.kubectl("delete", "deployment", "web", "--cascade=foreground", "--timeout=30s");
    assert.deepEqual(await names("pods,replicasets", "app=web"), []);
  });

  test("a Job is complete or fails as its pods do, and a deleted one takes its pods along", async () => {
    const job = (name: string, command: string, spec: object = {}) => ({
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name },
      spec: {
        ...spec,
        template: { spec: { restartPolicy: "Never", terminationGracePeriodSeconds: 1, containers: [shell(command)] } },
      },
    });
    await local.apply(
      job("good", "echo done", { completions: 3, parallelism: 2 }),
      job("bad", "exit 3", { backoffLimit: 0 }),
      job("endless", "sleep 1000"),
    );
    await local.kubectl("wait", "--for=condition=complete", "--timeout=30s", "job/good");
    await local.kubectl("wait", "--for=condition=failed", "--timeout=30s", "job/bad");
    assert.match(await local.kubectl("logs", "job/good"), /^done$/m);
    await until(async () => (await names("pods", "job-name=endless")).length === 1, { what: "the endless pod" });
    await local.kubectl("delete", "job", "endless", "--timeout=30s");
    await until(async () => (await names("pods", "job-name=endless")).length === 0, { what: "the pod to go" });
  });
});

async function names(resources: string, selector: string): Promise<string[]> {
  const listed = await local.kubectl("get", resources, "-l", selector, "-o", "name");
  return listed.split("\n").filter((line) => line !== "");
}
