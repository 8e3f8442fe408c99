import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts, writeKubeconfig } from "@etcd-operator/local-kubernetes";
import { startApiServer } from "@etcd-operator/local-kubernetes/apiserver/api-server.ts";
import { createAuthority, issueCertificate, type KeyPair } from "@etcd-operator/local-kubernetes/pki.ts";
import { type EtcdProcess, startEtcd } from "../etcd-process.ts";

export interface LocalApiServer {
  readonly server: string;
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  readonly token: string;
  /** Path of the PEM file of the CA. */
  readonly ca: string;
  readonly etcd: EtcdProcess;
  /** PEM files that a kubelet beside it would serve with. */
  readonly pki: { readonly certFile: string; readonly keyFile: string };
  /** A client certificate for a subject such as "CN=jane, O=dev", signed by the server's CA. */
  certify(subject: string): Promise<KeyPair>;
  /** Ends the API server and its store, and removes what they wrote. */
  stop(): Promise<void>;
}

interface LocalApiServerOptions {
  /** A store that someone else made and ends. */
  readonly etcd?: EtcdProcess;
}

const lifetimeMs = 24 * 60 * 60 * 1000;

/** The API server of local mode in this process, on a store of its own, with a CA and a token of its own. */
export async function startLocalApiServer(options: LocalApiServerOptions = {}): Promise<LocalApiServer> {
  const directory = await mkdtemp(join(tmpdir(), "local-apiserver-"));
  const pki = await writePki(directory);
  const etcd = options.etcd ?? (await startEtcd({ version: "3.5.16" }));
  const [port] = await freePorts(1);
  const url = `https://127.0.0.1:${port}`;
  const config = {
    server: url,
    storeEndpoint: new URL(etcd.clientUrl).host,
    serviceCidr: "10.0.0.0/16",
    bridgeIp: "127.0.0.1",
    pki,
  };
  const onError = (error: unknown) => {
    process.stderr.write(`the API server failed: ${error instanceof Error ? error.stack : error}\n`);
  };
  const { close } = await startApiServer(config, { onError });
  const identity = { kind: "token", token: pki.token } as const;
  const kubeconfig = await writeKubeconfig(join(directory, "kubeconfig"), { server: url, ca: pki.caFile, identity });
  return {
    server: url,
    kubeconfig,
    token: pki.token,
    ca: pki.caFile,
    etcd,
    pki,
    certify: pki.certify,
    async stop() {
      await close();
      if (!options.etcd) await etcd.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function writePki(directory: string) {
  const authority = await createAuthority("CN=local-apiserver-test", lifetimeMs);
  const leaf = { subject: "CN=local-apiserver", usage: "server", ips: ["127.0.0.1"], dnsNames: ["localhost"] } as const;
  const { cert, key } = await issueCertificate(authority, leaf, lifetimeMs);
  const token = randomBytes(24).toString("hex");
  const files = {
    caFile: join(directory, "ca.crt"),
    certFile: join(directory, "server.crt"),
    keyFile: join(directory, "server.key"),
    tokenFile: join(directory, "admin.token"),
  };
  await writeFile(files.caFile, authority.cert);
  await writeFile(files.certFile, cert);
  await writeFile(files.keyFile, key, { mode: 0o600 });
  await writeFile(files.tokenFile, token, { mode: 0o600 });
  const certify = (subject: string) => issueCertificate(authority, { subject, usage: "client" }, lifetimeMs);
  return { ...files, token, certify };
}
