import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts } from "@etcd-operator/local-kubernetes";
import { startGuarded } from "@etcd-operator/local-kubernetes/processes/guarded-process.ts";
import { until } from "../until.ts";
import { binaryOf, versitygw } from "./go-program.ts";

export interface S3ServerOptions {
  readonly bucket: string;
  /** With it, buckets are part of host names that end so. */
  readonly virtualDomain?: string;
  /** The only one that clients may name. */
  readonly region?: string;
}

/** A real S3 server on loopback, which keeps its objects as files in a temporary folder. */
export interface S3Server {
  readonly url: string;
  readonly port: number;
  readonly region: string;
  readonly accessKeyId: string;
  /** The one that it was started with. */
  readonly secretAccessKey: string;
  /** From now on it takes this one, and no other. */
  changeKey(secretAccessKey: string): Promise<void>;
  /** Where the bucket's objects lie. */
  readonly bucketFolder: string;
  /** Uploads in parts that were begun and neither completed nor aborted. */
  unfinishedUploads(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

const REGION = "eu-test-1";
const KEY = { accessKeyId: "TESTACCESSKEYID", secretAccessKey: "canary-of-the-secret-access-key" };

export async function startS3Server({ bucket, virtualDomain, region = REGION }: S3ServerOptions): Promise<S3Server> {
  const file = await binaryOf(versitygw);
  const dir = await mkdtemp(join(tmpdir(), "s3-server-"));
  const bucketFolder = join(dir, "data", bucket);
  await mkdir(bucketFolder, { recursive: true });
  await mkdir(join(dir, "meta"));
  const [port = 0] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const args = ["--port", `127.0.0.1:${port}`, "--region", region, "--health", "/health", "--quiet", "--keep-alive"];
  const domain = virtualDomain === undefined ? [] : ["--virtual-domain", virtualDomain];
  // Not every file system has extended attributes, where it would keep what belongs to an object otherwise.
  const backend = ["posix", "--sidecar", join(dir, "meta"), join(dir, "data")];
  const start = async (secretAccessKey: string) => {
    const { stop, diedEarly } = startGuarded({
      name: "versitygw",
      file,
      args: [...args, ...domain, ...backend],
      log: join(dir, "log"),
      env: { ...process.env, ROOT_ACCESS_KEY: KEY.accessKeyId, ROOT_SECRET_KEY: secretAccessKey },
    });
    await until(async () => (await fetch(`${url}/health`)).ok, { what: "the S3 server to answer", unless: diedEarly });
    return stop;
  };
  let stop = await start(KEY.secretAccessKey);
  return {
    ...{ url, port, region, ...KEY, bucketFolder },
    unfinishedUploads: () => uploadsIn(bucketFolder),
    async changeKey(secretAccessKey) {
      await stop();
      stop = await start(secretAccessKey);
    },
    async stop() {
      await stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function uploadsIn(bucketFolder: string): Promise<string[]> {
  const files = await readdir(bucketFolder, { recursive: true });
  return files.filter((name) => name.startsWith(".sgwtmp/") && name.split("/").length > 2);
}
