import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fillOnce } from "@etcd-operator/local-kubernetes/binaries/cached-folder.ts";
import { executableAt, executableInPath } from "@etcd-operator/local-kubernetes/processes/executable.ts";
import { tiedToUs } from "@etcd-operator/local-kubernetes/processes/guarded-process.ts";

const moduleFolder = fileURLToPath(new URL("../../../../../tools/kubernetes/", import.meta.url));

/** The version of Kubernetes that tools/kubernetes/go.mod requires, such as "v1.34.10". */
export async function pinnedKubernetesVersion(): Promise<string> {
  const goMod = await readFile(`${moduleFolder}go.mod`, "utf8");
  const version = /^require k8s\.io\/kubernetes (v\S+)$/m.exec(goMod)?.[1];
  if (!version) throw new Error(`${moduleFolder}go.mod does not require k8s.io/kubernetes at a version`);
  return version;
}

/** Builds programs of Kubernetes with Go into `folder`, unless the first is there or another process builds them. */
export async function buildKubernetes(folder: string, programs: readonly [string, ...string[]]): Promise<void> {
  const version = await pinnedKubernetesVersion();
  await fillOnce(folder, {
    what: `Kubernetes ${version}`,
    env: process.env,
    isComplete: async (dir) => (await executableAt(join(dir, programs[0]))) !== undefined,
    onWait: () => process.stderr.write(`Waiting for another process that builds Kubernetes ${version}\n`),
    fill: async ({ result }) => goBuild(await goPath(version), { version, programs, output: result }),
  });
}

async function goPath(version: string): Promise<string> {
  const go = await executableInPath("go");
  if (go) return go;
  throw new Error(
    `Kubernetes is not built: either install Go and run this again, which builds ${version} from tools/kubernetes, ` +
      "or, for a control plane without nodes, set KUBEBUILDER_ASSETS to a folder with kube-apiserver in it",
  );
}

interface Build {
  readonly version: string;
  readonly programs: readonly string[];
  readonly output: string;
}

async function goBuild(go: string, { version, programs, output }: Build): Promise<void> {
  const started = performance.now();
  const say = (what: string) =>
    process.stderr.write(`${what} (${Math.round((performance.now() - started) / 1000)} s)\n`);
  say(`Building ${programs.join(", ")} ${version}: once, about 6 minutes on 2 cores`);
  const progress = setInterval(() => say("Still building Kubernetes"), 30_000);
  const args = [
    "build",
    "-mod=readonly",
    "-trimpath",
    "-ldflags",
    linkerFlags(version),
    "-o",
    `${output}/`,
    ...programs.map((program) => `k8s.io/kubernetes/cmd/${program}`),
  ];
  const child = spawn(...tiedToUs(go, args), {
    cwd: moduleFolder,
    env: { ...process.env, GOTOOLCHAIN: "local", GOWORK: "off" },
    // Not on our standard output, which may be read by a program.
    stdio: ["ignore", process.stderr, process.stderr],
  });
  try {
    const [code] = await once(child, "exit");
    if (code !== 0)
      throw new Error(`go build of Kubernetes ${version} in ${moduleFolder} failed: see its messages above`);
    say("Built Kubernetes");
  } finally {
    clearInterval(progress);
  }
}

function linkerFlags(version: string): string {
  const [major, minor] = version.slice(1).split(".");
  const variables = { gitVersion: version, gitMajor: major, gitMinor: minor };
  return Object.entries(variables)
    .map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
    .join(" ");
}
