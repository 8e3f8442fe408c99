import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ContainerClient, StorageSharedKeyCredential } from "@azure/storage-blob";
import { freePorts } from "@etcd-operator/local-kubernetes";
import { startGuarded } from "@etcd-operator/local-kubernetes/processes/guarded-process.ts";
import { until } from "../until.ts";

/** Microsoft's own emulator of Azure Blob Storage on loopback, with one empty container. */
export interface Azurite {
  readonly url: string;
  readonly account: string;
  /** The one that it was started with. */
  readonly accountKey: string;
  readonly container: string;
  /** From now on it takes this one, and no other. */
  changeKey(accountKey: string): Promise<void>;
  /** As the library sees it, without our store in between. */
  readonly client: ContainerClient;
  stop(): Promise<void>;
}

const ACCOUNT = "backupsoftests";
const ACCOUNT_KEY = Buffer.from("canary-of-the-storage-key-of-azure").toString("base64");
const MAIN = createRequire(import.meta.url).resolve("azurite/dist/src/blob/main.js");

export async function startAzurite(container = "backups"): Promise<Azurite> {
  const dir = await mkdtemp(join(tmpdir(), "azurite-"));
  const [port = 0] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const start = async (accountKey: string) => {
    const { stop, diedEarly } = startGuarded({
      name: "azurite",
      file: process.execPath,
      args: [MAIN, ...["--blobHost", "127.0.0.1", "--blobPort", String(port), "--location", dir, "--silent"], ...FLAGS],
      log: join(dir, "log"),
      env: { ...process.env, AZURITE_ACCOUNTS: `${ACCOUNT}:${accountKey}` },
    });
    const credential = new StorageSharedKeyCredential(ACCOUNT, accountKey);
    const client = new ContainerClient(`${url}/${ACCOUNT}/${container}`, credential);
    await until(() => client.createIfNotExists(), { what: "azurite to answer", unless: diedEarly });
    return { stop, client };
  };
  let running = await start(ACCOUNT_KEY);
  return {
    ...{ url, account: ACCOUNT, accountKey: ACCOUNT_KEY, container, client: running.client },
    async changeKey(accountKey) {
      await running.stop();
      running = await start(accountKey);
    },
    async stop() {
      await running.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

// It knows fewer versions of the protocol than the library speaks, which makes no difference to what we use.
const FLAGS = ["--skipApiVersionCheck", "--disableTelemetry"];
