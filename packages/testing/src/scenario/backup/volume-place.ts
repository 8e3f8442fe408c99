import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { resources } from "@etcd-operator/kubernetes-client";
import type { ObjectStore } from "@etcd-operator/object-store";
import { serveDirectory } from "@etcd-operator/object-store";
import { UPLOADS_FOLDER } from "@etcd-operator/object-store/volume/file-of-key.ts";
import { volumeStore } from "@etcd-operator/object-store/volume/volume-store.ts";
import { selfSignedCertificate } from "@etcd-operator/operator/transfer/trust/self-signed-certificate.ts";
import { until } from "../../until.ts";
import type { ClusterScenario } from "../cluster-scenario.ts";
import { volumeFolder } from "../faults/member-faults.ts";
import { aClaim, type BackupPlace } from "./backup-places.ts";

const CLAIM = "backups";
const AT_ONCE = "made-at-once";
const MINUTE_MS = 60_000;

/** A volume whose claim the operator is given; only its worker reads it. */
export async function volumePlace(claimName = CLAIM): Promise<BackupPlace> {
  return {
    type: "Volume",
    objects: [aClaim(claimName)],
    canaries: [],
    block: (path) => ({ volume: { claimName, path } }),
    keyAt: (path) => path,
    stop: async () => undefined,
  };
}

/** A volume that the scenario looks into as well. */
export interface OpenVolumePlace extends BackupPlace {
  /** Where its files lie. */
  readonly folder: string;
  open(): Promise<ObjectStore>;
  /** Files of uploads that were begun and neither completed nor aborted. */
  unfinishedUploads(): Promise<readonly string[]>;
}

/** Has the volume made before any pod wants it. */
export async function openVolumePlace(scenario: ClusterScenario, claimName = CLAIM): Promise<OpenVolumePlace> {
  const ref = { namespace: "default", name: claimName };
  const { spec, ...claim } = aClaim(claimName) as { spec: object };
  const objects = [await storageClass(scenario), { ...claim, spec: { ...spec, storageClassName: AT_ONCE } }];
  await scenario.local.apply(...objects);
  const isBound = async () =>
    (await scenario.client.get(resources.persistentVolumeClaims, ref)).status?.phase === "Bound";
  await until(isBound, { what: `the volume of ${claimName}` });
  const folder = await volumeFolder(scenario, { metadata: ref });
  return {
    ...(await volumePlace(claimName)),
    objects,
    folder,
    open: () => openFolder(folder),
    unfinishedUploads: () => readdir(join(folder, UPLOADS_FOLDER)).catch(() => []),
  };
}

/** That of local mode, but for tests that do not want to wait for a pod. */
async function storageClass({ local }: ClusterScenario): Promise<object> {
  const { stdout } = await local.tryKubectl(["get", "storageclass", "standard", "-o", "json"]);
  const { apiVersion, kind, provisioner, reclaimPolicy } = JSON.parse(stdout);
  const metadata = { name: AT_ONCE };
  return { apiVersion, kind, metadata, provisioner, reclaimPolicy, volumeBindingMode: "Immediate" };
}

/** A folder as the operator sees it by way of a worker, without the pod around that. */
async function openFolder(directory: string): Promise<ObjectStore> {
  // Workers, which are of the same group only, write where we did.
  process.umask(0o002);
  const [notBefore, notAfter] = [new Date(Date.now() - MINUTE_MS), new Date(Date.now() + 60 * MINUTE_MS)];
  const { cert, key } = selfSignedCertificate({ name: "worker", notBefore, notAfter });
  const token = randomBytes(32).toString("hex");
  const serving = { directory, cert, key, token, host: "127.0.0.1", port: 0, idleMs: 60 * MINUTE_MS };
  const worker = await serveDirectory(serving);
  const address = `127.0.0.1:${worker.port}`;
  const store = volumeStore({ kind: "volume", claimName: CLAIM, address, certificate: cert, token }, {});
  const closeStore = store.close.bind(store);
  const close = async () => {
    await closeStore();
    await worker.close();
  };
  return Object.assign(store, { close });
}
