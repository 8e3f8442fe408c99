import assert from "node:assert/strict";
import { chmod, copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectEtcd } from "@etcd-operator/etcd-client";
import { PARTS } from "@etcd-operator/local-kubernetes";
import { type LocalModeUnderTest, startLocalMode } from "@etcd-operator/testing/local/local-mode.ts";
import { listeningAddresses } from "@etcd-operator/testing/process/process-state.ts";
import { runCommand } from "@etcd-operator/testing/process/run-command.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, beforeAll, describe, test } from "vitest";

let local: LocalModeUnderTest;

beforeAll(async () => {
  const stateDir = await mkdtemp(join(tmpdir(), "local-mode-"));
  // As a folder is that a user made by hand.
  await chmod(stateDir, 0o755);
  local = await startLocalMode({ operator: "none", stateDir });
  await local.kubectl("create", "serviceaccount", "robot");
  await local.apply(aPod("robot", "robot"));
  await local.kubectl("wait", "--for=condition=Ready", "--timeout=30s", "pod/robot");
});
afterAll(() => local?.dispose());

const ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";
const ROBOT = "system:serviceaccount:default:robot";

function aPod(name: string, serviceAccountName: string, spec: object = {}) {
  const containers = [{ name: "c", image: "kubectl", command: ["sleep", "1000"] }];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: { serviceAccountName, containers, terminationGracePeriodSeconds: 0, ...spec },
  };
}

/** kubectl in the pod, which finds the API server and its token as every program in a pod does. */
async function inPod(...args: readonly string[]) {
  const { stdout, stderr } = await local.tryKubectl(["exec", "robot", "--", "kubectl", ...args]);
  return `${stdout}${stderr}`;
}

describe("local mode without the operator", () => {
  test("has nothing of ours, and says how to deploy it", async () => {
    assert.equal(await local.kubectl("get", "crds", "-o", "name"), "");
    assert.equal(await local.operatorPid(), undefined);
    assert.match(await local.output(), /example\/rbac\/create_role\.sh\n.*kubectl apply -f example\/deployment\.yaml/);
  });
});

describe("another user of the machine", () => {
  let folder: string;
  let node: string;
  beforeAll(async () => {
    // A copy, because others may not reach the one that runs this: it lies in the clone, and that perhaps in root's
    // home.
    folder = await mkdtemp(join(tmpdir(), "node-of-others-"));
    await chmod(folder, 0o755);
    node = join(folder, "node");
    await copyFile(process.execPath, node);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const asOther = async (...command: readonly string[]) =>
    runCommand("setpriv", ["--reuid=65534", "--regid=65534", "--clear-groups", "--", ...command]);

  test("gets neither at the state nor at the store, which listens on no port", async () => {
    assert.match((await asOther("ls", local.stateDir)).stderr, /Permission denied/);
    const socket = local.config.storeEndpoint.replace("unix:", "");
    const dial = `require("net").connect(${JSON.stringify(socket)}).on("error", (error) => console.log(error.code))`;
    assert.equal((await asOther(node, "-e", dial)).stdout, "EACCES\n");
    assert.deepEqual(await listeningAddresses(await pidOf("store")), []);
    const client = connectEtcd({ address: local.config.storeEndpoint });
    assert.deepEqual(await client.health(), { health: "healthy" });
    client.close();
  });

  test("has no rights in the API and at the kubelet", async () => {
    const kubelet = `https://127.0.0.1:${local.config.nodes[0]?.kubeletPort}`;
    const secrets = `${local.config.server}/api/v1/secrets`;
    for (const [url, code] of [
      [secrets, "403"],
      [`${kubelet}/containerLogs/default/robot/c`, "401"],
    ] as const) {
      const look = "({ statusCode }) => { console.log(statusCode); process.exit() }";
      const ask = `require("https").get(${JSON.stringify(url)}, { rejectUnauthorized: false }, ${look})`;
      assert.equal((await asOther(node, "-e", ask)).stdout, `${code}\n`, url);
    }
    const listening = await Promise.all(
      PARTS.map(async (part) => (await listeningAddresses(await pidOf(part))).length),
    );
    const withPorts = PARTS.filter((_, at) => (listening[at] ?? 0) > 0);
    assert.deepEqual(withPorts, ["apiserver", "network", "kubelet"]);
  });

  async function pidOf(part: string): Promise<number> {
    return Number(new RegExp(`\\b${part} \\((\\d+)\\)`).exec(await local.output())?.[1]);
  }
});

describe("a program in a pod", () => {
  test("is its ServiceAccount, and may do what that was given, from one moment to the next", async () => {
    assert.match(await inPod("auth", "whoami", "-o", "jsonpath={.status.userInfo.username}"), new RegExp(ROBOT));
    assert.match(
      await inPod("get", "pods"),
      new RegExp(`pods is forbidden: User "${ROBOT}" cannot list resource "pods"`),
    );
    await local.kubectl("create", "rolebinding", "robot", "--clusterrole=view", "--serviceaccount=default:robot");
    assert.match(await inPod("get", "pods"), /robot +1\/1 +Running/);
    assert.match(await inPod("get", "secrets"), /secrets is forbidden/);
    await local.kubectl("delete", "rolebinding", "robot");
    assert.match(await inPod("get", "pods"), /pods is forbidden/);
  });

  test("has a token that goes with the pod", async () => {
    const token = await local.kubectl("exec", "robot", "--", "cat", `${ACCOUNT}/token`);
    const asRobot = ["--kubeconfig=/dev/null", `--server=${local.config.server}`, `--token=${token}`];
    const trust = `--certificate-authority=${local.config.pki.caFile}`;
    const whoami = async () => (await local.tryKubectl([...asRobot, trust, "auth", "whoami"])).stdout;
    assert.match(await whoami(), new RegExp(ROBOT));
    await local.kubectl("delete", "pod", "robot", "--wait");
    await until(async () => (await whoami()) === "", { what: "the token to be worth nothing" });
  });

  test("has none where the pod wants none", async () => {
    await local.apply(aPod("silent", "default", { automountServiceAccountToken: false }));
    await local.kubectl("wait", "--for=condition=Ready", "--timeout=30s", "pod/silent");
    const { stdout } = await local.tryKubectl(["exec", "silent", "--", "ls", ACCOUNT]);
    assert.equal(stdout, "");
  });

  test("waits for an account whose token cannot be had, and the Event says why", async () => {
    await local.apply({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "brief" } });
    await local.apply(aPod("late", "brief", { nodeSelector: { is: "there" } }));
    await local.kubectl("delete", "serviceaccount", "brief");
    await local.kubectl("label", "node", "local", "is=there");
    const events = () => local.kubectl("get", "events", "--field-selector=involvedObject.name=late", "-o", "json");
    const message =
      /MountVolume.SetUp failed for volume \\"kube-api-access-\w+\\" : failed to fetch token: .*serviceaccounts \\\\*"brief\\\\*" not found/;
    await until(async () => message.test(await events()), { what: "an Event about the token" });
  });
});
