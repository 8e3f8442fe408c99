import { type ClientRequestArgs, request as overHttp } from "node:http";
import { Agent, request as overHttps, type RequestOptions } from "node:https";
import type { Duplex } from "node:stream";
import { connect } from "node:tls";
import { type ProxyEnvironment, proxyFor } from "../proxy-for.ts";

type Connected = (error: Error | null, stream: Duplex) => void;

const CONNECT_TIMEOUT_MS = 10_000;

/** Connections of HTTPS, by way of the proxy that the environment names for their host: AWS' SDK knows no such variables. */
export class ProxyingAgent extends Agent {
  readonly #env: ProxyEnvironment;

  constructor(env: ProxyEnvironment, options: ConstructorParameters<typeof Agent>[0] = {}) {
    super({ keepAlive: true, maxSockets: 50, ...options });
    this.#env = env;
  }

  override createConnection(options: RequestOptions, connected: Connected): Duplex | null | undefined {
    const host = options.host ?? "localhost";
    const port = Number(options.port ?? 443);
    const proxy = proxyFor(host, port, this.#env);
    if (!proxy) return super.createConnection(options, connected);
    openTunnel(proxy, `${host.includes(":") ? `[${host}]` : host}:${port}`).then(
      (socket) => connected(null, connect({ ...(options as object), socket })),
      (error: Error) => connected(error, undefined as unknown as Duplex),
    );
    return undefined;
  }
}

/** Asks the proxy for a connection to there; what then goes over it is nothing that the proxy could read. */
function openTunnel(proxy: URL, address: string): Promise<Duplex> {
  const request = proxy.protocol === "https:" ? overHttps(asking(proxy, address)) : overHttp(asking(proxy, address));
  return new Promise<Duplex>((resolve, reject) => {
    const refuse = (why: string) => {
      request.destroy();
      reject(Object.assign(new Error(`the proxy ${why}`), { code: "EPROXY" }));
    };
    request.once("connect", ({ statusCode }, socket) => {
      if (statusCode === 200) return resolve(socket);
      socket.destroy();
      refuse(`answered ${statusCode}`);
    });
    // Some answer as if they had been asked for a page.
    request.once("response", ({ statusCode }) => refuse(`answered ${statusCode}`));
    request.once("timeout", () => refuse("did not answer"));
    request.on("error", reject);
    request.end();
  });
}

function asking({ protocol, hostname, port, username, password }: URL, address: string): ClientRequestArgs {
  const user = username && `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port || (protocol === "https:" ? 443 : 80),
    method: "CONNECT",
    path: address,
    headers: {
      host: address,
      ...(user && { "proxy-authorization": `Basic ${Buffer.from(user).toString("base64")}` }),
    },
    agent: false,
    timeout: CONNECT_TIMEOUT_MS,
  };
}
