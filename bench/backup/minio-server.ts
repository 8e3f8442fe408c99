import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts } from "@etcd-operator/local-kubernetes";
import { startGuarded } from "@etcd-operator/local-kubernetes/processes/guarded-process.ts";
import { binaryOf, minio } from "@etcd-operator/testing/objectstore/go-program.ts";
import { until } from "@etcd-operator/testing/until.ts";

export interface MinioServer {
  readonly url: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  stop(): Promise<void>;
}

const KEY = { accessKeyId: "benchmark", secretAccessKey: "benchmark-secret" };

/** The S3 server that people run themselves, on loopback, with one bucket in a temporary folder. */
export async function startMinio(bucket: string): Promise<MinioServer> {
  const file = await binaryOf(minio);
  const dir = await mkdtemp(join(tmpdir(), "minio-"));
  const drive = join(dir, "drive");
  await mkdir(join(drive, bucket), { recursive: true });
  const [port = 0, consolePort = 0] = await freePorts(2);
  const url = `http://127.0.0.1:${port}`;
  const addresses = ["--address", `127.0.0.1:${port}`, "--console-address", `127.0.0.1:${consolePort}`];
  const { stop, diedEarly } = startGuarded({
    name: "minio",
    file,
    args: ["server", "--quiet", ...addresses, drive],
    log: join(dir, "log"),
    env: {
      ...process.env,
      HOME: dir,
      MINIO_ROOT_USER: KEY.accessKeyId,
      MINIO_ROOT_PASSWORD: KEY.secretAccessKey,
      MINIO_BROWSER: "off",
      MINIO_UPDATE: "off",
    },
  });
  await until(async () => (await fetch(`${url}/minio/health/live`)).ok, { what: "MinIO to answer", unless: diedEarly });
  return {
    url,
    ...KEY,
    async stop() {
      await stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
