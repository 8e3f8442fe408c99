import { readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { cacheRoot } from "@etcd-operator/local-kubernetes/binaries/cache-root.ts";
import { fillOnce } from "@etcd-operator/local-kubernetes/binaries/cached-folder.ts";
import { unpackFromDebian } from "@etcd-operator/local-kubernetes/binaries/fetch-from-debian.ts";
import { executableAt } from "@etcd-operator/local-kubernetes/processes/executable.ts";
import { buildKubernetes, pinnedKubernetesVersion } from "../kube/control-plane/build-kubernetes.ts";

/** The programs of Kubernetes that a node needs beside a control plane. */
export interface NodePrograms {
  readonly scheduler: string;
  readonly kubelet: string;
  readonly kubeProxy: string;
}

/** From the user's cache, else built with Go into it. */
export async function nodePrograms(): Promise<NodePrograms> {
  const folder = join(cacheRoot(process.env), "kubernetes-node", await pinnedKubernetesVersion());
  await buildKubernetes(folder, ["kubelet", "kube-scheduler", "kube-proxy"]);
  return {
    scheduler: join(folder, "kube-scheduler"),
    kubelet: join(folder, "kubelet"),
    kubeProxy: join(folder, "kube-proxy"),
  };
}

/** The container runtime and what it needs, which Debian packages; nothing of it is installed. */
export interface RuntimePrograms {
  readonly containerd: string;
  readonly ctr: string;
  readonly runc: string;
  readonly busybox: string;
  readonly cniFolder: string;
  /** What the programs need in their environment: to find each other, and their libraries. */
  readonly env: { readonly PATH: string; readonly LD_LIBRARY_PATH: string };
}

// Of Debian 12, whose programs also run on later ones. Named in full, because apt downloads no dependencies.
const runtime = {
  suite: "bookworm",
  packages: [
    ...["containerd", "runc", "containernetworking-plugins", "nftables", "busybox-static"],
    ...["libseccomp2", "libnftables1", "libnftnl11", "libmnl0", "libjansson4", "libgmp10"],
    ...["libxtables12", "libedit2", "libbsd0", "libmd0", "libtinfo6"],
  ],
};

/** From the user's cache, else fetched into it with apt's own tools. */
export async function runtimePrograms(): Promise<RuntimePrograms> {
  const folder = join(cacheRoot(process.env), "container-runtime", runtime.suite);
  await fillOnce(folder, {
    what: "containerd",
    env: process.env,
    isComplete: async (dir) => (await executableAt(join(dir, "usr/bin/containerd"))) !== undefined,
    async fill({ scratch, result }) {
      const root = await unpackFromDebian(runtime, scratch, { env: process.env });
      for (const name of await readdir(root)) await rename(join(root, name), join(result, name));
    },
  });
  const path = ["usr/bin", "usr/sbin"].map((each) => join(folder, each));
  return {
    containerd: join(folder, "usr/bin/containerd"),
    ctr: join(folder, "usr/bin/ctr"),
    runc: join(folder, "usr/sbin/runc"),
    busybox: join(folder, "bin/busybox"),
    cniFolder: join(folder, "usr/lib/cni"),
    env: {
      PATH: [...path, process.env.PATH].join(":"),
      LD_LIBRARY_PATH: (await libraryFolders(folder)).join(":"),
    },
  };
}

// Debian names them after the architecture, such as lib/x86_64-linux-gnu.
async function libraryFolders(root: string): Promise<string[]> {
  const folders = ["usr/lib", "lib"].map(async (parent) => {
    const names = await readdir(join(root, parent)).catch(() => []);
    return names.filter((name) => name.endsWith("-linux-gnu")).map((name) => join(root, parent, name));
  });
  return (await Promise.all(folders)).flat();
}
