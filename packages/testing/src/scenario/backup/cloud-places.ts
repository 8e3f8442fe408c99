import { CreateBucketCommand, ListMultipartUploadsCommand, S3Client } from "@aws-sdk/client-s3";
import { openStore } from "@etcd-operator/object-store";
import { startAzurite } from "../../objectstore/azurite.ts";
import { startFaultProxy } from "../../objectstore/fault-proxy.ts";
import { startGcsFake } from "../../objectstore/gcs-fake.ts";
import { type S3Server, startS3Server } from "../../objectstore/s3-server.ts";
import { aSecret, type CloudPlace, type FaultyPlace } from "./backup-places.ts";

export type Cloud = "s3" | "oss" | "azure" | "gcs";

export interface FaultyS3Place extends FaultyPlace {
  /** The keys of unfinished uploads. */
  uploads(): Promise<readonly string[]>;
  makeBucket(name: string): Promise<void>;
}

/** A server that runs, which clients are sent to by one address or another. */
interface CloudServer extends Omit<CloudPlace, "block" | "objects"> {
  readonly url: string;
  /** As the operator gets it. */
  at(endpoint: string): Pick<CloudPlace, "block" | "objects" | "operatorEnv">;
}

const BUCKET = "backups";
const RENEWED = "canary-of-what-was-renewed";

const servers: Readonly<Record<Cloud, () => Promise<CloudServer>>> = {
  s3: async () => s3Server(await startS3Server({ bucket: BUCKET })),
  oss: ossServer,
  azure: azureServer,
  gcs: gcsServer,
};

export async function cloudPlace(cloud: Cloud): Promise<CloudPlace> {
  const server = await servers[cloud]();
  return { ...server, ...server.at(server.url) };
}

export async function faultyPlace(cloud: Cloud): Promise<FaultyPlace> {
  return behindProxy(await servers[cloud]());
}

export async function faultyS3Place(): Promise<FaultyS3Place> {
  const server = await startS3Server({ bucket: BUCKET });
  const { url: endpoint, region, accessKeyId, secretAccessKey } = server;
  const credentials = { accessKeyId, secretAccessKey };
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  const place = await behindProxy(s3Server(server));
  return {
    ...place,
    async uploads() {
      const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: BUCKET }));
      return Uploads.map(({ Key = "" }) => Key);
    },
    async makeBucket(Bucket) {
      await client.send(new CreateBucketCommand({ Bucket }));
    },
    async stop() {
      client.destroy();
      await place.stop();
    },
  };
}

async function behindProxy(server: CloudServer): Promise<FaultyPlace> {
  const faults = await startFaultProxy({ upstream: server.url });
  return {
    ...server,
    ...server.at(faults.url),
    faults,
    async stop() {
      await faults.close();
      await server.stop();
    },
  };
}

function s3Server(server: S3Server): CloudServer {
  const { url, region, accessKeyId } = server;
  let { secretAccessKey } = server;
  const profile = () => ({
    credentials: `[default]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n`,
    config: `[default]\nregion = ${region}\n`,
  });
  return {
    type: "S3",
    url,
    canaries: [secretAccessKey],
    at: (endpoint) => ({
      objects: [aSecret("aws", profile())],
      block: (key) => ({ s3: { path: `${BUCKET}/${key}`, awsSecret: "aws", endpoint, forcePathStyle: true } }),
    }),
    keyAt: keyInBucket,
    open: () => openStore({ kind: "s3", bucket: BUCKET, endpoint: url, forcePathStyle: true, profile: profile() }),
    unfinishedUploads: () => server.unfinishedUploads(),
    async expire() {
      secretAccessKey = RENEWED;
      await server.changeKey(RENEWED);
      return aSecret("aws", profile());
    },
    stop: () => server.stop(),
  };
}

/**
 * No server of OSS itself can be had: one that speaks S3 takes its place. Before an address of numbers no bucket can
 * stand.
 */
async function ossServer(): Promise<CloudServer> {
  const server = await startS3Server({ bucket: BUCKET, region: "oss" });
  const { url, accessKeyId } = server;
  let { secretAccessKey: accessKeySecret } = server;
  const secret = () => aSecret("oss", { accessKeyID: accessKeyId, accessKeySecret });
  return {
    type: "OSS",
    url,
    canaries: [accessKeySecret],
    at: (endpoint) => ({
      objects: [secret()],
      block: (key) => ({ oss: { path: `${BUCKET}/${key}`, ossSecret: "oss", endpoint } }),
    }),
    keyAt: keyInBucket,
    open: () => openStore({ kind: "oss", bucket: BUCKET, endpoint: url, accessKeyId, accessKeySecret }),
    unfinishedUploads: () => server.unfinishedUploads(),
    async expire() {
      accessKeySecret = RENEWED;
      await server.changeKey(RENEWED);
      return secret();
    },
    stop: () => server.stop(),
  };
}

async function azureServer(): Promise<CloudServer> {
  const azurite = await startAzurite(BUCKET);
  const { url, account } = azurite;
  let { accountKey } = azurite;
  const secret = (cloud: string) => aSecret("azure", { "storage-account": account, "storage-key": accountKey, cloud });
  let cloud = url;
  return {
    type: "ABS",
    url,
    canaries: [accountKey],
    at(endpoint) {
      cloud = endpoint;
      return {
        objects: [secret(endpoint)],
        block: (key) => ({ abs: { path: `${BUCKET}/${key}`, absSecret: "azure" } }),
      };
    },
    keyAt: keyInBucket,
    open: () => openStore({ kind: "abs", container: BUCKET, account, accountKey, cloud: url }),
    // Blocks that were never committed are listed nowhere, and go by themselves.
    unfinishedUploads: async () => [],
    async expire() {
      accountKey = Buffer.from(RENEWED).toString("base64");
      await azurite.changeKey(accountKey);
      return secret(cloud);
    },
    stop: () => azurite.stop(),
  };
}

/** A strict fake: no server of Google's store can be had. */
async function gcsServer(): Promise<CloudServer> {
  const fake = await startGcsFake(BUCKET);
  const { url, oauth } = fake;
  let account = oauth.serviceAccount();
  const secret = () => aSecret("gcp", { "credentials.json": JSON.stringify(account) });
  return {
    type: "GCS",
    url,
    canaries: account.private_key.split("\n").slice(1, 3),
    at: (endpoint) => ({
      objects: [secret()],
      block: (key) => ({ gcs: { path: `${BUCKET}/${key}`, gcpSecret: "gcp" } }),
      // No field of the API leads elsewhere than to Google.
      operatorEnv: { STORAGE_EMULATOR_HOST: endpoint },
    }),
    keyAt: keyInBucket,
    open: () => openStore({ kind: "gcs", bucket: BUCKET, endpoint: url, credentialsJson: JSON.stringify(account) }),
    unfinishedUploads: async () => fake.uploads.begun,
    async expire() {
      // Another key of the same account: what was signed with the old one is refused.
      account = oauth.serviceAccount();
      oauth.revokeAll();
      return secret();
    },
    aToken: () => aSecret("token", { "access-token": oauth.issue("the scenario") }),
    stop: () => fake.stop(),
  };
}

function keyInBucket(path: string): string {
  return path.slice(BUCKET.length + 1);
}
