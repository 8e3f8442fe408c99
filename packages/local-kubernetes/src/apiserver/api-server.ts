import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import { connectEtcd } from "@etcd-operator/etcd-client";
import type { LocalConfig } from "../config.ts";
import type { ApiContext } from "./api-context.ts";
import { apiOn } from "./api-on.ts";
import { bootstrap } from "./bootstrap.ts";
import { CustomKinds } from "./custom/custom-kinds.ts";
import { expireEvents } from "./expire-events.ts";
import { type AuditLine, audited } from "./http/audit.ts";
import { adminToken, authenticatorFor } from "./http/authentication.ts";
import { Gatekeeper } from "./http/gatekeeper.ts";
import { requestListener } from "./http/listener.ts";
import { listenAlsoOn } from "./http/second-address.ts";
import { BUILTIN_RESOURCES } from "./kinds/builtin-kinds.ts";
import { readLog } from "./kubelet/kubelet-proxy.ts";
import { upgradeListener } from "./kubelet/upgrade-listener.ts";
import { OpenApi } from "./openapi/open-api.ts";
import { compactRegularly } from "./storage/compaction.ts";

type ServerConfig = Pick<LocalConfig, "server" | "storeEndpoint" | "serviceCidr" | "bridgeIp" | "pki">;

interface ServerOptions {
  readonly signal?: AbortSignal;
  /** Where every request that changes something is written down; nowhere when absent. */
  readonly auditFile?: string | undefined;
  onError?(error: unknown): void;
}

export interface ApiServer {
  /** Such as "https://127.0.0.1:6443". */
  readonly url: string;
  /** Resolves when the server has ended. */
  readonly closed: Promise<void>;
  /** Ends every request and watch, and lets go of the store. */
  close(): Promise<void>;
}

/** Its own store: what it keeps of a kind may be read in one answer. */
const MOST_STORE_MESSAGE_BYTES = 1 << 30;

/** Starts the API server on the store that the configuration names, and returns once it answers. */
export async function startApiServer(config: ServerConfig, options: ServerOptions = {}): Promise<ApiServer> {
  const stop = new AbortController();
  const etcd = connectEtcd({ address: config.storeEndpoint }, { mostMessageBytes: MOST_STORE_MESSAGE_BYTES });
  const api = await apiOn(etcd, config);
  const definitions = BUILTIN_RESOURCES.find(({ kind }) => kind === "CustomResourceDefinition");
  if (!definitions) throw new Error("there is no CustomResourceDefinition among the built-in kinds");
  const customKinds = new CustomKinds(api, definitions);
  const server = await serverFor(config, api, customKinds, options);
  const { hostname, port } = new URL(config.server);
  await bootstrap(api, { serviceCidr: config.serviceCidr, ip: config.bridgeIp, port: Number(port) });
  await customKinds.start();
  const upkeep = [compactRegularly(api.etcd, api.store, stop.signal), expireEvents(api, stop.signal)];
  await listen(server, Number(port), hostname);
  const bridge = listenAlsoOn(server, config.bridgeIp, Number(port), stop.signal);
  const closed = ended(stop.signal).then(async () => {
    server.closeAllConnections();
    await once(server.close(), "close");
    await customKinds.close();
    await api.caches.close();
    await Promise.all([...upkeep, bridge]);
    api.etcd.close();
  });
  options.signal?.addEventListener("abort", () => stop.abort(), { once: true });
  const close = async () => {
    stop.abort();
    await closed;
  };
  return { url: config.server, closed, close };
}

// Idle connections of clients live longer than those of clients with pools of their own (Go: 90 s), who then never lose
// a request.
const KEEP_ALIVE_MS = 120_000;

async function serverFor(
  config: ServerConfig,
  api: ApiContext,
  customKinds: CustomKinds,
  { onError = () => {}, auditFile }: ServerOptions,
): Promise<Server> {
  const [cert, key, ca, tokens] = await Promise.all(
    [config.pki.certFile, config.pki.keyFile, config.pki.caFile, config.pki.tokenFile].map((file) =>
      readFile(file, "utf8"),
    ),
  );
  const gatekeeper = new Gatekeeper(authenticatorFor(api, tokens ?? ""), api.authorizer);
  const access = { ca: ca ?? "", token: adminToken(tokens ?? "") };
  const routes = {
    api,
    openApi: new OpenApi(api.registry, () => customKinds.definitions),
    serverAddress: new URL(config.server).host,
    readLog: readLog.bind(undefined, api, access),
  };
  const isReady = () =>
    api.store.revision().then(
      () => true,
      () => false,
    );
  const server = createServer({
    ...{ cert, key, keepAliveTimeout: KEEP_ALIVE_MS, noDelay: true },
    // A client may show a certificate; who shows none, or one of another CA, is told so by us.
    ...{ requestCert: true, rejectUnauthorized: false, ca: ca ?? "" },
  });
  const listener = requestListener({ routes, gatekeeper, isReady, onError });
  server.on("request", auditFile === undefined ? listener : audited(listener, auditTo(auditFile)));
  server.on("upgrade", upgradeListener({ api, gatekeeper, access }));
  return server;
}

function auditTo(file: string): (line: AuditLine) => void {
  const log = createWriteStream(file, { flags: "a" });
  return (line) => void log.write(`${JSON.stringify(line)}\n`);
}

async function listen(server: Server, port: number, host: string): Promise<void> {
  server.listen(port, host);
  await once(server, "listening");
}

async function ended(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, "abort");
}
