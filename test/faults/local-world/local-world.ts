import { tmpdir } from "node:os";
import { join } from "node:path";
import { KubeClient } from "@etcd-operator/kubernetes-client";
import { connectionFromKubeconfig } from "@etcd-operator/kubernetes-client/connect/kubeconfig.ts";
import { instanceOf } from "@etcd-operator/local-kubernetes/supervisor/instance.ts";
import { guardLinks } from "@etcd-operator/testing/local/guarded-links.ts";
import { type LocalModeUnderTest, startLocalMode } from "@etcd-operator/testing/local/local-mode.ts";
import { scratchDirectory } from "@etcd-operator/testing/process/scratch-directory.ts";
import { LoopsOfPlans } from "./loops-of-plans.ts";

/** A local mode without an operator, for one suite. */
export interface LocalWorld {
  readonly local: LocalModeUnderTest;
  /** The administrator's. */
  readonly client: KubeClient;
  /** A folder beside that of local mode, on the same disk. */
  readonly folder: string;
  /** Of operators that run beside it. */
  readonly loops: LoopsOfPlans;
  stop(): Promise<void>;
}

/** Starts it in a folder of its own; when this process is killed, processes, links and folder go all the same. */
export async function startLocalWorld(suite: string): Promise<LocalWorld> {
  const scratch = await scratchDirectory(join(tmpdir(), `${suite}-`));
  const stateDir = join(scratch.path, "state");
  const linksAreGone = guardLinks(instanceOf(stateDir));
  const cleanUp = async () => {
    await linksAreGone();
    await scratch.remove();
  };
  let local: LocalModeUnderTest | undefined;
  try {
    local = await startLocalMode({ stateDir });
    const client = new KubeClient(await connectionFromKubeconfig(local.kubeconfig), { userAgent: suite });
    const loops = new LoopsOfPlans(local.loops, suite);
    return { local, client, folder: scratch.path, loops, stop: () => stopAll(local, client, cleanUp) };
  } catch (error) {
    await local?.stop();
    await cleanUp();
    throw error;
  }
}

async function stopAll(
  local: LocalModeUnderTest | undefined,
  client: KubeClient,
  cleanUp: () => Promise<void>,
): Promise<void> {
  await client.close();
  await local?.stop();
  await cleanUp();
}
