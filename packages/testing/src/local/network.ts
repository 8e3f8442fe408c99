import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { promisify } from "node:util";
import type { LocalConfig } from "@etcd-operator/local-kubernetes";
import { ensureBridge, removeBridge } from "@etcd-operator/local-kubernetes/network/bridge.ts";
import { askLinks, changeLinks } from "@etcd-operator/local-kubernetes/network/ip-command.ts";
import { vethName } from "@etcd-operator/local-kubernetes/network-names.ts";
import { tiedToUs } from "@etcd-operator/local-kubernetes/processes/guarded-process.ts";
import { nodePlaces } from "@etcd-operator/local-kubernetes/supervisor/node-places.ts";
import { guardLinks } from "./guarded-links.ts";

export const isRoot = process.getuid?.() === 0;

export interface PodUnderTest {
  readonly uid: string;
  readonly ip: string;
  readonly pid: number;
  /** Runs a program inside, to its end. */
  run(file: string, ...args: string[]): Promise<string>;
  /** Starts a program inside, which reports its progress line by line. */
  start(file: string, ...args: string[]): Interface;
}

export interface NetworkUnderTest {
  readonly config: LocalConfig;
  addPod(): Promise<PodUnderTest>;
  /** Removes everything, also when some of it was never made. */
  close(): Promise<void>;
}

/** A bridge of its own on an unused subnet, and pods that do nothing by themselves. */
export async function aNetwork(): Promise<NetworkUnderTest> {
  const { second, release } = await claimSubnet();
  const stateDir = await mkdtemp(join(tmpdir(), "network-"));
  const config = configFor(randomBytes(3).toString("hex"), second, stateDir);
  const children: { kill(): void }[] = [];
  let pods = 0;
  const unguard = guardLinks(config.instance);
  const close = async () => {
    for (const child of children) child.kill();
    await removeBridge(config);
    await unguard();
    await rm(stateDir, { recursive: true, force: true });
    release();
  };
  await ensureBridge(config).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return {
    config,
    close,
    addPod: () => {
      pods += 1;
      return addPod(config, `10.${second}.0.${pods + 1}`, (child) => children.push(child));
    },
  };
}

async function addPod(config: LocalConfig, ip: string, keep: (child: { kill(): void }) => void): Promise<PodUnderTest> {
  const start = (file: string, args: readonly string[]) => {
    const child = spawn(...tiedToUs(file, args), { stdio: ["ignore", "pipe", "inherit"] });
    keep({ kill: () => child.kill("SIGKILL") });
    return child;
  };
  const uid = randomBytes(8).toString("hex");
  const sandbox = start("unshare", ["--net", "--mount", "sh", "-c", "echo there; exec sleep infinity"]);
  const { pid = 0 } = sandbox;
  await once(sandbox.stdout, "data");
  await plugIn(config, uid, ip, pid);
  const inside = [`--net=/proc/${pid}/ns/net`, `--mount=/proc/${pid}/ns/mnt`];
  const pod: PodUnderTest = {
    uid,
    ip,
    pid,
    run: async (file, ...args) => (await promisify(execFile)("nsenter", [...inside, file, ...args])).stdout,
    start: (file, ...args) => createInterface(start("nsenter", [...inside, file, ...args]).stdout),
  };
  await pod.run("mount", "--bind", await resolverFile(config), "/etc/resolv.conf");
  return pod;
}

async function plugIn(
  { instance, bridge, stateDir }: LocalConfig,
  uid: string,
  ip: string,
  pid: number,
): Promise<void> {
  const veth = vethName(instance, uid);
  await changeLinks(
    [`link add ${veth} type veth peer name eth0 netns ${pid}`, `link set ${veth} master ${bridge} up`],
    { operation: "connect a pod" },
  );
  await changeLinks(["link set lo up", `address add ${ip}/16 dev eth0`, "link set eth0 up"], {
    operation: "give a pod its address",
    insideOf: pid,
  });
  await mkdir(join(stateDir, "pods", uid), { recursive: true });
  await writeFile(join(stateDir, "pods", uid, "sandbox.pid"), `${pid}\n`);
}

async function resolverFile({ stateDir, dnsIp, clusterDomain }: LocalConfig): Promise<string> {
  const path = join(stateDir, "resolv.conf");
  const search = `search ns.svc.${clusterDomain} svc.${clusterDomain} ${clusterDomain}`;
  await writeFile(path, `nameserver ${dnsIp}\n${search}\noptions ndots:5\n`);
  return path;
}

/**
 * Test files run side by side: a name in the kernel, which goes with this process, keeps them from choosing the same.
 */
async function claimSubnet(): Promise<{ second: number; release: () => void }> {
  const routes = await askLinks<{ dst: string }>(["route", "show"], { operation: "find a free subnet" });
  for (let second = 200; second < 248; second += 1) {
    const claim = createServer().listen(`\0network-under-test-${second}`);
    if (!(await isOurs(claim))) continue;
    if (!routes.some(({ dst }) => dst.startsWith(`10.${second}.`))) return { second, release: () => claim.close() };
    claim.close();
  }
  throw new Error("no free subnet");
}

async function isOurs(claim: Server): Promise<boolean> {
  return once(claim, "listening").then(
    () => true,
    () => false,
  );
}

function configFor(instance: string, second: number, stateDir: string): LocalConfig {
  const file = join(stateDir, "none");
  return {
    instance,
    stateDir,
    server: "https://127.0.0.1:1",
    podCidr: `10.${second}.0.0/17`,
    serviceCidr: `10.${second}.128.0/17`,
    bridge: `eo${instance}`,
    bridgeIp: `10.${second}.0.1`,
    dnsIp: `10.${second}.128.10`,
    clusterDomain: "cluster.local",
    nodes: nodePlaces(`10.${second}.0.0/17`, [1]),
    storeEndpoint: "127.0.0.1:1",
    kubeconfig: file,
    pki: { caFile: file, certFile: file, keyFile: file, tokenFile: file },
  };
}
