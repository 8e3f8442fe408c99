import { resources } from "@etcd-operator/kubernetes-client";
import { ObjectStoreError } from "@etcd-operator/object-store";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import type { StoreBlock } from "@etcd-operator/operator/transfer/store/store-block.ts";
import { A_CLAIM } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { CLUSTER, type Stage } from "../../workloads/stage.ts";
import { NAMESPACE } from "../../world/world.ts";
import { CLUSTER_SPEC } from "../entries/cluster-entries.ts";
import { MISSING_BUCKET, STORE_CLAIM } from "../entries/store-entries.ts";
import { tlsSecrets } from "./certificates.ts";

const IMAGES_THAT_DO_NOT_EXIST = ["registry.invalid/", ":v3.5.99"];

/** What values refer to and the operator does not make: accounts and Secrets. And images that do not exist. */
export async function createNeeds(stage: Stage): Promise<void> {
  for (const image of IMAGES_THAT_DO_NOT_EXIST) stage.machine.kubelet.failPulls(image);
  await stage.user.request("POST", `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, {
    body: { metadata: { name: "etcd" } },
  });
  for (const [name, stringData] of await tlsSecrets()) await stage.create(resources.secrets, name, { stringData });
}

/** They must stay confidential: see checks/canaries.ts. */
const CREDENTIALS = {
  aws: { credentials: "[default]\naws_access_key_id = AKIAFIELDSCANARY\naws_secret_access_key = Canary+Of+Fields/aws" },
  abs: { "storage-account": "account", "storage-key": Buffer.from("canary of fields, abs").toString("base64") },
  gcs: { "access-token": "canary-of-fields-gcs" },
  oss: { accessKeyID: "id", accessKeySecret: "canary-of-fields-oss" },
};

/** Buckets, a claim, and the Secrets that open them. */
export async function createStores(stage: Stage): Promise<void> {
  stage.backups.beforeOpen = (block) => mustExist(stage, block);
  for (const [name, stringData] of Object.entries(CREDENTIALS)) {
    await stage.create(resources.secrets, name, { stringData });
  }
  await stage.create(resources.persistentVolumeClaims, STORE_CLAIM, { spec: A_CLAIM });
}

export async function createCluster(stage: Stage): Promise<void> {
  await stage.create(ownResources.etcdClusters, CLUSTER, { spec: CLUSTER_SPEC });
  await stage.settled();
}

/** A store is only as good as what it is opened with; another scene ensures that its Secret exists. */
function mustExist(stage: Stage, block: StoreBlock): void {
  const operation = "open the store";
  if (block.type !== "Volume") {
    if (block.bucket !== MISSING_BUCKET) return;
    throw new ObjectStoreError("no-such-bucket", { operation, message: `there is no bucket '${block.bucket}'` });
  }
  const { claimName } = block.block;
  const claims = stage.objects.of(resources.persistentVolumeClaims);
  if (claims.some(({ metadata }) => metadata.name === claimName)) return;
  throw new ObjectStoreError("no-such-bucket", { operation, message: `there is no claim '${claimName}'` });
}
