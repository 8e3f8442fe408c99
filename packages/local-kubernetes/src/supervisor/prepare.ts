import { randomBytes, X509Certificate } from "node:crypto";
import { access, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type LocalConfig, loadLocalConfig } from "../config.ts";
import { writeKubeconfig } from "../kubeconfig-file.ts";
import { createAuthority, issueCertificate } from "../pki.ts";
import { freePorts } from "../processes/free-ports.ts";
import { instanceOf } from "./instance.ts";
import { LocalModeError } from "./local-mode-error.ts";
import { nodePlaces } from "./node-places.ts";
import { storeEndpoint } from "./store-command.ts";
import { freeSubnet, type Subnet } from "./subnet.ts";

export interface Plan {
  readonly config: LocalConfig;
  readonly configFile: string;
}

export interface Wishes {
  readonly stateDir: string;
  readonly port: number;
  /** How many nodes. */
  readonly nodes: number;
  readonly nodeGraceMs: number;
  /** Destinations of this machine's routes, such as "10.0.0.0/8". */
  readonly routes: readonly string[];
}

const lifetimeMs = 365 * 24 * 60 * 60 * 1000;

/** Lays out the state's folder: a CA of its own, unused addresses, and the file that tells every part of them. */
export async function prepare({ stateDir, port, nodes, nodeGraceMs, routes }: Wishes): Promise<Plan> {
  const configFile = join(stateDir, "config.json");
  const former = await loadLocalConfig(configFile).catch(() => undefined);
  const instance = instanceOf(stateDir);
  const subnet = freeSubnet(routes, instance, former?.podCidr);
  if (!subnet) throw new LocalModeError(noSubnet(former?.podCidr));
  for (const folder of ["pki", "logs"]) await mkdir(join(stateDir, folder), { recursive: true });
  const kubeletPorts = await freePorts(nodes);
  const config: LocalConfig = {
    instance,
    stateDir,
    server: `https://127.0.0.1:${port}`,
    podCidr: subnet.podCidr,
    serviceCidr: subnet.serviceCidr,
    bridge: `eo${instance}`,
    bridgeIp: subnet.bridgeIp,
    dnsIp: subnet.dnsIp,
    clusterDomain: "cluster.local",
    nodeLifecycle: { graceMs: nodeGraceMs },
    nodes: nodePlaces(subnet.podCidr, kubeletPorts),
    storeEndpoint: storeEndpoint(stateDir),
    kubeconfig: join(stateDir, "kubeconfig"),
    pki: await ensurePki(join(stateDir, "pki"), subnet),
  };
  await writeFile(configFile, `${JSON.stringify(config, undefined, 2)}\n`);
  return { config, configFile };
}

/** Hands out the administrator's kubeconfig; done last, for its presence says that the API answers. */
export async function writeAdminKubeconfig({ kubeconfig, server, pki }: LocalConfig): Promise<void> {
  const token = (await readFile(pki.tokenFile, "utf8")).trim();
  await writeKubeconfig(kubeconfig, { name: "local", server, ca: pki.caFile, identity: { kind: "token", token } });
}

function noSubnet(former: string | undefined): string {
  return former === undefined
    ? "No 10.N.0.0/16 is free for the pods: remove a route into 10.0.0.0/8 and try again."
    : `The addresses of this local mode (${former}) are taken: stop what uses them (ip route shows its link), then start this one again.`;
}

/** Keeps what a former run made while it is valid, so that copies of the kubeconfig go on working. */
async function ensurePki(folder: string, subnet: Subnet): Promise<LocalConfig["pki"]> {
  const pki = {
    caFile: join(folder, "ca.crt"),
    certFile: join(folder, "server.crt"),
    keyFile: join(folder, "server.key"),
    tokenFile: join(folder, "admin.token"),
  };
  if (!(await isValid(pki))) await writePki(pki, subnet);
  return pki;
}

async function isValid({ certFile, keyFile, tokenFile }: LocalConfig["pki"]): Promise<boolean> {
  try {
    await Promise.all([access(keyFile), access(tokenFile)]);
    return Date.parse(new X509Certificate(await readFile(certFile)).validTo) > Date.now() + lifetimeMs / 2;
  } catch {
    return false;
  }
}

async function writePki(pki: LocalConfig["pki"], { bridgeIp, apiServiceIp }: Subnet): Promise<void> {
  const authority = await createAuthority("CN=etcd-operator-local", lifetimeMs);
  const leaf = {
    subject: "CN=local-apiserver",
    usage: "server",
    ips: ["127.0.0.1", bridgeIp, apiServiceIp],
    dnsNames: ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"],
  } as const;
  const { cert, key } = await issueCertificate(authority, leaf, lifetimeMs);
  const secret = { mode: 0o600 };
  await writeFile(pki.caFile, authority.cert);
  await writeFile(pki.certFile, cert);
  await writeFile(pki.keyFile, key, secret);
  // Last, so that a run killed in between starts over.
  await writeFile(pki.tokenFile, randomBytes(24).toString("hex"), secret);
}
