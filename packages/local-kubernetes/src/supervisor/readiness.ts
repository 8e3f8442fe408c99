import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { connectEtcd } from "@etcd-operator/etcd-client";
import type { KubeClient } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import type { Node } from "kubernetes-types/core/v1.d.ts";
import type { LocalConfig } from "../config.ts";

/** Resolves when the store takes reads and writes. */
export async function storeIsReady({ storeEndpoint }: LocalConfig, signal: AbortSignal): Promise<void> {
  const store = connectEtcd({ address: storeEndpoint });
  try {
    await untilTrue(async () => (await store.health({ signal })).health === "healthy", signal);
  } finally {
    store.close();
  }
}

/** Resolves when the API server answers from its store. */
export async function serverIsReady(client: KubeClient, signal: AbortSignal): Promise<void> {
  await untilTrue(async () => Boolean(await client.list(resources.namespaces, { signal })), signal);
}

/** Resolves when pods are taken and run: admission finds the ServiceAccount that they get, and the nodes are ready. */
export async function podsCanRun(client: KubeClient, nodeNames: readonly string[], signal: AbortSignal): Promise<void> {
  await untilTrue(async () => {
    await client.get(resources.serviceAccounts, { namespace: "default", name: "default" }, { signal });
    const { items } = await client.list(resources.nodes, { signal });
    return nodeNames.every((name) => items.some((node) => node.metadata.name === name && isReadyForPods(node)));
  }, signal);
}

function isReadyForPods({ spec, status }: Node): boolean {
  const isReady = status?.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True");
  // A new one, and one that was away, is tainted until the node controller has seen it.
  const isTainted = spec?.taints?.some(({ key }) => /^node\.kubernetes\.io\/(not-ready|unreachable)$/.test(key));
  return isReady === true && isTainted !== true;
}

/** Resolves when Services are served on the bridge: the API server's own is the first, and needs no controller. */
export async function networkIsUp({ serviceCidr }: LocalConfig, signal: AbortSignal): Promise<void> {
  const host = serviceCidr.replace(/\.0\/.*$/, ".1");
  await untilTrue(
    () =>
      new Promise((resolve, reject) => {
        const socket = connect({ host, port: 443 }, () => resolve(true));
        socket.once("error", reject).setTimeout(1_000, () => socket.destroy(new Error("no answer")));
        socket.once("connect", () => socket.destroy());
      }),
    signal,
  );
}

/** Resolves when a URL answers with 200. */
export async function answersOk(url: string, signal: AbortSignal): Promise<void> {
  await untilTrue(async () => (await fetch(url, { signal: AbortSignal.timeout(1_000) })).ok, signal);
}

const everyMs = 20;

async function untilTrue(ask: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  while (!(await ask().catch(() => false))) {
    signal.throwIfAborted();
    await pause(everyMs, undefined, { signal });
  }
}
