import { createHash } from "node:crypto";
import { connectEtcd, parseVersion, type Version } from "@etcd-operator/etcd-client";
import { KubeClient, resources, systemClock } from "@etcd-operator/kubernetes-client";
import { connectionFromKubeconfig } from "@etcd-operator/kubernetes-client/connect/kubeconfig.ts";
import { restrictedPod } from "@etcd-operator/kubernetes-client/pods/restricted-security.ts";
import { RESTORE_ONCE, RESTORED, WORKER_LABELS } from "@etcd-operator/operator/transfer/names.ts";
import {
  receiveContainer,
  restoreContainer,
  restoreVolumes,
} from "@etcd-operator/operator/transfer/pods/receive-and-restore.ts";
import { pushSnapshot } from "@etcd-operator/operator/transfer/push-snapshot.ts";
import { openBackupStore } from "@etcd-operator/operator/transfer/store/open-backup-store.ts";
import { endpointOf, makeTransferSecret } from "@etcd-operator/operator/transfer/trust/transfer-secret.ts";
import { ClaimTurns } from "@etcd-operator/operator/transfer/volume/claim-turns.ts";
import { snapshotBytes } from "@etcd-operator/testing/etcd/snapshot-bytes.ts";
import { startEtcd } from "@etcd-operator/testing/etcd-process.ts";
import { type LocalModeUnderTest, startLocalMode } from "@etcd-operator/testing/local/local-mode.ts";
import { content, digest, digestOfContent, storeErrorOf } from "@etcd-operator/testing/objectstore/contract/content.ts";
import { ANY_TRUST } from "@etcd-operator/testing/transfer/any-trust.ts";
import { until } from "@etcd-operator/testing/until.ts";
import type { Container, Pod } from "kubernetes-types/core/v1.d.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const namespace = "default";
const image = "ghcr.io/etcd-operator/etcd-operator:test";
const versionText = "3.5.30";
const etcdImage = `quay.io/coreos/etcd:v${versionText}`;
const { signal } = new AbortController();

let local: LocalModeUnderTest;
let client: KubeClient;

beforeAll(async () => {
  local = await startLocalMode();
  client = new KubeClient(await connectionFromKubeconfig(local.kubeconfig), { userAgent: "scenario" });
});

afterAll(async () => {
  await client?.close();
  await local?.dispose();
});

describe("a volume as an object store", () => {
  const deps = (ownImage = image) => ({
    client,
    trust: ANY_TRUST,
    clock: systemClock,
    random: Math.random,
    claimTurns: new ClaimTurns(),
    image: ownImage,
  });

  async function request(claimName: string) {
    const { apiVersion, kind, metadata } = await client.create(resources.configMaps, {
      metadata: { namespace, name: `owner-of-${claimName}` },
    });
    const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid };
    return { namespace, owner, spec: { storageType: "Volume", volume: { claimName, path: "etcd/backup" } } } as const;
  }

  async function aClaim(name: string): Promise<void> {
    await client.create(resources.persistentVolumeClaims, {
      metadata: { namespace, name },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    });
  }

  const workers = async () => {
    const labelSelector = `app=${WORKER_LABELS.app}`;
    return (await client.list(resources.pods, { namespace, labelSelector })).items;
  };

  test("keeps what is put there from one opening to the next, and leaves neither pod nor Secret behind", async () => {
    await aClaim("backups");
    const wanted = await request("backups");
    const first = await openBackupStore(deps(), wanted, signal);
    expect([first.key, first.pathOf("etcd/other")]).toEqual(["etcd/backup", "etcd/other"]);
    await first.store.put(first.key, content(20_000_000));
    await first.close();

    const second = await openBackupStore(deps(), wanted, signal);
    expect(await digest(second.store.get(second.key))).toBe(await digestOfContent(20_000_000));
    await second.close();
    await until(async () => (await workers()).length === 0, { what: "the workers to be gone" });
    const isGone = async () => !(await local.kubectl("get", "secrets", "-o", "name")).includes("-transfer");
    await until(isGone, { what: "their Secrets to be gone" });
  });

  test("that is not there is named, and no pod is made for it", async () => {
    const error = await storeErrorOf(openBackupStore(deps(), await request("nowhere"), signal));
    expect(error.code).toBe("no-such-bucket");
    expect(error.message).toContain("'default/nowhere'");
    expect(await workers()).toEqual([]);
  });

  test("whose worker cannot start says why, and removes it", async () => {
    await aClaim("unserved");
    const wanted = await request("unserved");
    const patience = new AbortController();
    const opening = storeErrorOf(openBackupStore(deps("nothing-of-the-kind:1"), wanted, patience.signal));
    const isStuck = ({ status }: Pod) => status?.containerStatuses?.[0]?.state?.waiting?.reason === "ImagePullBackOff";
    await until(async () => (await workers()).some(isStuck), { what: "the pod to be stuck" });
    patience.abort();
    // The cause that it waited for, and not only that it was cancelled.
    expect(await opening).toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/worker cannot start: \w*Image/),
    });
    await until(async () => (await workers()).length === 0, { what: "the worker to be gone" });
  });
});

describe("a pod that restores a snapshot", () => {
  const name = "restored";
  const etcdctl = (...words: string[]) => local.kubectl("exec", name, "-c", "etcd", "--", "etcdctl", ...words);
  const reads = (value: string) => async () => (await etcdctl("get", "key", "--print-value-only")).trim() === value;
  const podNow = () => client.get(resources.pods, { namespace, name });
  const stateOf = async (kind: "initContainerStatuses" | "containerStatuses", container: string) =>
    (await podNow()).status?.[kind]?.find((each) => each.name === container);

  test("waits for it, restores it, and serves it", async () => {
    const snapshot = await aSnapshot("kept");
    const pod = await client.create(resources.pods, restoringPod(name));
    const secret = await makeTransferSecret(pod);
    await client.create(resources.secrets, secret);
    const isWaiting = async () => (await stateOf("initContainerStatuses", "receive"))?.state?.running !== undefined;
    await until(isWaiting, { what: "the pod to wait for its snapshot" });

    const endpoint = endpointOf(secret, (await podNow()).status?.podIP ?? "");
    const sha256 = createHash("sha256").update(snapshot).digest("hex");
    async function* source() {
      yield snapshot;
    }
    // Its port is open a moment after it runs.
    await pushSnapshot(endpoint, source(), { sizeBytes: snapshot.length, sha256 });
    await until(reads("kept"), { what: "the key to be served" });
  });

  test("does not restore again when its sandbox is rebuilt, once it says so", async () => {
    await client.patch(resources.pods, { namespace, name }, { merge: { metadata: { annotations: RESTORED } } });
    await etcdctl("put", "key", "written since");
    await local.kill();
    await local.start();
    await until(reads("written since"), { what: "the newer value to be served" });
  });

  test("stands still on its data with our own image in the place of etcd's, and goes on with etcd's", async () => {
    const containers = (etcd: string) => ({ merge: { spec: { containers: patched(restoringPod(name), etcd) } } });
    await client.patch(resources.pods, { namespace, name }, containers(image));
    const hasNoEtcd = async () => {
      const status = await stateOf("containerStatuses", "etcd");
      return status?.state?.waiting?.reason === "CrashLoopBackOff" && status.lastState?.terminated;
    };
    const ended = await until(hasNoEtcd, { what: "etcd to be kept from starting" });
    expect(ended).toMatchObject({ exitCode: 128, reason: "StartError" });
    expect(ended.message).toContain("/usr/local/bin/etcd");

    await client.patch(resources.pods, { namespace, name }, containers(etcdImage));
    await until(reads("written since"), { what: "the value to be served again", timeoutMs: 60_000 });
  });
});

test("images of etcd on local mode have the tools that restore", async () => {
  for (const [version, tool] of [
    ["3.4.23", "etcdctl"],
    ["3.5.30", "etcdutl"],
  ]) {
    const run = [`--image=quay.io/coreos/etcd:v${version}`, "--restart=Never", "--command", "--"];
    await local.kubectl("run", `tools-${tool}`, ...run, `/usr/local/bin/${tool}`, "snapshot", "restore", "--help");
    const phase = () => local.kubectl("get", "pod", `tools-${tool}`, "-o", "jsonpath={.status.phase}");
    await until(async () => (await phase()) === "Succeeded", { what: `${tool} of ${version} to be there` });
  }
});

async function aSnapshot(value: string): Promise<Buffer> {
  const etcd = await startEtcd({ version: versionText });
  const connection = connectEtcd({ address: new URL(etcd.clientUrl).host });
  try {
    await connection.put({ key: Buffer.from("key"), value: Buffer.from(value) });
    return await snapshotBytes(connection);
  } finally {
    connection.close();
    await etcd.stop();
  }
}

function restoringPod(name: string): Pod {
  const peerUrl = "http://127.0.0.1:2380";
  const dataMount = { name: "etcd-data", mountPath: "/var/etcd" };
  const surroundings = { dataDir: "/var/etcd/data", dataMount };
  const version = parseVersion(versionText) as Version;
  const restoring = { etcdImage, version, member: name, peerUrl, token: "token-2", revisionBump: 1_000 };
  const command = [
    "/usr/local/bin/etcd",
    ...["--data-dir=/var/etcd/data", `--name=${name}`],
    ...[`--initial-cluster=${name}=${peerUrl}`, "--initial-cluster-state=existing"],
    ...[`--initial-advertise-peer-urls=${peerUrl}`, `--listen-peer-urls=${peerUrl}`],
  ];
  return {
    metadata: { namespace, name, annotations: RESTORE_ONCE },
    spec: {
      securityContext: restrictedPod,
      automountServiceAccountToken: false,
      initContainers: [
        receiveContainer({ image, ...surroundings }),
        restoreContainer({ ...restoring, ...surroundings }),
      ],
      containers: [{ name: "etcd", image: etcdImage, command, volumeMounts: [dataMount] }],
      volumes: [{ name: "etcd-data", emptyDir: {} }, ...restoreVolumes(name)],
    },
  };
}

function patched({ spec }: Pod, etcd: string): Container[] {
  return (spec?.containers ?? []).map((container) => ({ ...container, image: etcd }));
}
