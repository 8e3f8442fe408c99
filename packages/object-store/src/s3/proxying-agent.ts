import { Agent, type RequestOptions } from "node:https";
import type { Duplex } from "node:stream";
import { type ProxyEnvironment, proxyFor } from "../proxy-for.ts";

type Connected = (error: Error | null, stream: Duplex) => void;

const TUNNEL_TIMEOUT_MS = 10_000;

/**
 * Connections of HTTPS, by way of the proxy that the environment names for their host: AWS' SDK knows no such
 * variables. Node.js opens the tunnels; which hosts are reached without is for us to say, because it knows no networks
 * in NO_PROXY and takes a name for that host alone.
 */
export class ProxyingAgent extends Agent {
  readonly #env: ProxyEnvironment;
  #tunnels: Agent | undefined;

  constructor(env: ProxyEnvironment, options: ConstructorParameters<typeof Agent>[0] = {}) {
    super({ keepAlive: true, maxSockets: 50, ...options });
    this.#env = env;
  }

  override createConnection(options: RequestOptions, connected: Connected): Duplex | null | undefined {
    const proxy = proxyFor(options.host ?? "localhost", Number(options.port ?? 443), this.#env);
    if (!proxy) return super.createConnection(options, connected);
    this.#tunnels ??= new Agent({ proxyEnv: { HTTPS_PROXY: proxy.href } });
    return this.#tunnels.createConnection({ ...options, timeout: TUNNEL_TIMEOUT_MS }, connected);
  }
}
