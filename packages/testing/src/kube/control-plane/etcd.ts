import { join } from "node:path";
import { etcdBinaries, freePorts, obstacleOf, obtainableVersions } from "@etcd-operator/local-kubernetes";
import { etcdEnvironment } from "@etcd-operator/local-kubernetes/binaries/binaries-folder.ts";
import { executableAt } from "@etcd-operator/local-kubernetes/processes/executable.ts";
import { until } from "../../until.ts";
import type { Workspace } from "./workspace.ts";

/**
 * Starts the etcd that an API server keeps its objects in, and returns its endpoint once it answers reads and writes.
 */
export async function startBackingEtcd(workspace: Workspace): Promise<string> {
  const [clientPort, peerPort] = await freePorts(2);
  const endpoint = `http://127.0.0.1:${clientPort}`;
  const peer = `http://127.0.0.1:${peerPort}`;
  const flags = [
    "--name=default",
    `--data-dir=${join(workspace.directory, "etcd")}`,
    `--listen-client-urls=${endpoint}`,
    `--advertise-client-urls=${endpoint}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    "--log-level=warn",
    // The data is thrown away with the test run, so it need not survive a power cut.
    "--unsafe-no-fsync",
  ];
  const { diedEarly } = workspace.run("etcd", await etcdPath(), flags, etcdEnvironment(process.env));
  const healthy = async () => (await fetch(`${endpoint}/health`)).ok;
  await until(healthy, { what: "etcd to be healthy", unless: diedEarly });
  return endpoint;
}

async function etcdPath(): Promise<string> {
  const assets = process.env.KUBEBUILDER_ASSETS;
  const inAssets = assets && (await executableAt(join(assets, "etcd")));
  if (inAssets) return inAssets;
  const offers = await obtainableVersions();
  // The minor versions that this Kubernetes is released and tested with, oldest first.
  const version = offers.findLast((offer) => /^3\.[56]\./.test(offer.version) && !obstacleOf(offer))?.version;
  const { etcd } = await etcdBinaries(version ?? "3.6", { log: (line) => process.stderr.write(`${line}\n`) });
  return etcd;
}
