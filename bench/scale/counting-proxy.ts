import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Agent, createServer, request, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { writeKubeconfig } from "@etcd-operator/local-kubernetes";
import { createAuthority, issueCertificate } from "@etcd-operator/local-kubernetes/pki.ts";
import type { Access } from "./lone-api-server.ts";
import { isWrite, type RequestKind, requestKind } from "./request-kind.ts";

const LIFETIME_MS = 24 * 60 * 60 * 1000;
/** As local mode and the real API server: a client that has nothing to say for seconds need not greet again. */
const KEEP_ALIVE_MS = 120_000;

/** A write of the client, to anything but a Lease, told before the API server hears of it. */
export interface WriteSeen extends RequestKind {
  readonly path: string;
  readonly atMs: number;
}

/** Stands between the operator and the API server, speaks TLS on both sides, and counts what is asked. */
export class CountingProxy {
  /** Leads to the API server by way of the proxy. */
  readonly kubeconfig: string;
  readonly #server: Server;
  readonly #agent: Agent;
  readonly #access: Access;
  #counts = new Map<string, { readonly kind: RequestKind; times: number }>();
  #lastWriteAtMs = 0;
  onWrite: (write: WriteSeen) => void = () => undefined;

  static async start(access: Access, directory: string): Promise<CountingProxy> {
    const authority = await createAuthority("CN=counting-proxy-ca", LIFETIME_MS);
    const leaf = { subject: "CN=counting-proxy", usage: "server", ips: ["127.0.0.1"] } as const;
    const certificate = await issueCertificate(authority, leaf, LIFETIME_MS);
    const server = createServer({ ...certificate, keepAliveTimeout: KEEP_ALIVE_MS, noDelay: true });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const [ca, kubeconfig] = [join(directory, "proxy-ca.crt"), join(directory, "proxy-kubeconfig")];
    await writeFile(ca, authority.cert);
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    // What it is does not matter: the proxy puts its own in the place of it.
    const identity = { kind: "token", token: "of-the-operator" } as const;
    await writeKubeconfig(kubeconfig, { server: url, ca, identity });
    return new CountingProxy(server, access, kubeconfig);
  }

  private constructor(server: Server, access: Access, kubeconfig: string) {
    const { ca, identity } = access;
    this.#server = server;
    this.#access = access;
    this.#agent = new Agent({ ca, keepAlive: true, ...("cert" in identity && identity) });
    this.kubeconfig = kubeconfig;
    server.on("request", (question, answer) => this.#forward(question, answer));
  }

  /** What was asked since the last time. */
  take(): readonly { readonly kind: RequestKind; readonly times: number }[] {
    const taken = [...this.#counts.values()];
    this.#counts = new Map();
    return taken;
  }

  /** For how long the client has written nothing but Leases. */
  get quietMs(): number {
    return performance.now() - this.#lastWriteAtMs;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    this.#agent.destroy();
  }

  #count(method: string, path: string): void {
    const kind = requestKind(method, path);
    const name = `${kind.verb} ${kind.resource}`;
    const counted = this.#counts.get(name) ?? { kind, times: 0 };
    counted.times += 1;
    this.#counts.set(name, counted);
    if (!isWrite(kind) || kind.resource === "leases") return;
    this.#lastWriteAtMs = performance.now();
    this.onWrite({ ...kind, path, atMs: this.#lastWriteAtMs });
  }

  #forward(question: IncomingMessage, answer: ServerResponse): void {
    const { server, identity } = this.#access;
    const { method = "GET", url: path = "/" } = question;
    this.#count(method, path);
    const { authorization: _, ...headers } = question.headers;
    const ours = "token" in identity ? { authorization: `Bearer ${identity.token}` } : {};
    const onward = { method, agent: this.#agent, headers: { ...headers, ...ours, host: new URL(server).host } };
    const passedOn = request(new URL(path, server), onward, (upstream) => {
      answer.writeHead(upstream.statusCode ?? 502, upstream.headers);
      answer.flushHeaders();
      upstream.on("error", () => answer.destroy()).pipe(answer);
    });
    passedOn.on("error", () => answer.destroy());
    answer.on("close", () => passedOn.destroy());
    question.pipe(passedOn);
  }
}
