import { etcdImage, operatorImage } from "@etcd-operator/testing/node/images/images.ts";
import type {} from "@etcd-operator/testing/node/injected.ts";
import { startRealNode } from "@etcd-operator/testing/node/real-node.ts";
import type { TestProject } from "vitest/node";
import { ETCD_VERSIONS } from "./etcd-versions.ts";

/** One cluster for all test files: that of KUBECONFIG_NODE, which must have our image, or one of our own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { KUBECONFIG_NODE: kubeconfig, NODES = "1" } = process.env;
  if (kubeconfig) {
    project.provide("realCluster", { kubeconfig, isOurs: false });
    return async () => undefined;
  }
  const started = performance.now();
  const say = (what: string) =>
    process.stderr.write(`${what} after ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
  // Made meanwhile; a failure shows where it is awaited.
  const ours = operatorImage();
  ours.catch(() => undefined);
  const node = await startRealNode({ nodes: Number(NODES) });
  say(`Kubernetes ${node.version} with ${node.nodes.length} node(s) ready ${JSON.stringify(node.seconds)}`);
  try {
    for (const version of ETCD_VERSIONS) await node.load(`etcd-${version}`, await etcdImage(version));
    await node.load("operator", await ours);
    say("images of etcd and of the operator loaded");
  } catch (error) {
    await node.stop();
    throw error;
  }
  project.provide("realCluster", { kubeconfig: node.kubeconfig, isOurs: true, tunnel: node.tunnel });
  return node.stop;
}
