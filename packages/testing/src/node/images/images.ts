import { readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { etcdBinaries } from "@etcd-operator/local-kubernetes";
import { binaryOf, coredns } from "../../objectstore/go-program.ts";
import { runtimePrograms } from "../binaries.ts";
import type { ImageContent } from "./image-archive.ts";
import { imageTree } from "./image-tree.ts";
import { folderEntries, programFiles, withoutRepeated } from "./program-files.ts";
import type { TarEntry } from "./tar.ts";

export const PAUSE = "registry.test/pause:3";
export const COREDNS = "registry.test/coredns:v1";
/** A shell and its tools, for what tests do inside the cluster. */
export const TOOLS = "docker.io/library/busybox:1.36";

const APPLETS = ["sh", "cat", "echo", "env", "ls", "nslookup", "sleep", "touch", "rm", "nc", "id"];

/** Keeps the namespaces of a pod; it is killed with the pod. */
export async function pauseImage(): Promise<ImageContent> {
  return { names: [PAUSE], entries: await busyboxWith(["sleep"]), entrypoint: ["sleep", "infinity"] };
}

export async function toolsImage(): Promise<ImageContent> {
  return { names: [TOOLS], entries: await busyboxWith(APPLETS), cmd: ["sh"] };
}

export async function corednsImage(): Promise<ImageContent> {
  const entries = await programFiles(await binaryOf(coredns), "coredns");
  return { names: [COREDNS], entries, entrypoint: ["/coredns"] };
}

/** As etcd publishes it: the programs and no shell. */
export async function etcdImage(version: string): Promise<ImageContent> {
  const { etcd, etcdctl, etcdutl } = await etcdBinaries(version);
  const programs = { etcd, etcdctl, ...(etcdutl && { etcdutl }) };
  const files = Object.entries(programs).map(([name, file]) => programFiles(file, `usr/local/bin/${name}`));
  return {
    names: [`quay.io/coreos/etcd:v${version}`],
    entries: withoutRepeated((await Promise.all(files)).flat()),
    cmd: ["/usr/local/bin/etcd"],
  };
}

/**
 * Ours, laid out as the Dockerfile says, on a base that has what our programs use of Debian: a shell, env and
 * libraries.
 */
export async function operatorImage(): Promise<ImageContent> {
  const { version } = JSON.parse(await readFile("package.json", "utf8")) as { version: string };
  const root = await imageTree();
  try {
    // The links to our programs begin with a line that only the env of coreutils takes.
    const base = [...(await busyboxWith(["sh"])), ...(await programFiles("/usr/bin/env", "usr/bin/env"))];
    const node = await programFiles(process.execPath, "usr/local/bin/node");
    return {
      names: [`ghcr.io/etcd-operator/etcd-operator:v${version}`],
      entries: withoutRepeated([...base, ...node, ...(await folderEntries(root))]),
      entrypoint: ["etcd-operator"],
      env: { NODE_ENV: "production" },
      user: "65532:65532",
    };
  } finally {
    await rm(dirname(root), { recursive: true });
  }
}

// As Debian has it. Without the file, the C library asks the DNS for "localhost", too.
const nameServices: TarEntry = {
  kind: "file",
  path: "etc/nsswitch.conf",
  content: Buffer.from("hosts: files dns\n"),
  mode: 0o644,
};

async function busyboxWith(applets: readonly string[]): Promise<TarEntry[]> {
  const { busybox } = await runtimePrograms();
  const program: TarEntry = { kind: "file", path: "bin/busybox", content: await readFile(busybox) };
  const scratch: TarEntry = { kind: "folder", path: "tmp", mode: 0o1777 };
  return [program, scratch, nameServices, ...applets.map((name) => link(join("bin", name), "/bin/busybox"))];
}

function link(path: string, target: string): TarEntry {
  return { kind: "link", path, target };
}
