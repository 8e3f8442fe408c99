import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { ApiContext } from "../api-context.ts";
import { ApiError, internalError, unknownResource } from "../api-error.ts";
import type { Authenticator } from "../http/authentication.ts";
import { parsePath } from "../http/request-path.ts";
import { containerOf, type Kubelet, proxyUpgrade } from "./kubelet-proxy.ts";

interface UpgradeNeeds {
  readonly api: ApiContext;
  readonly authenticator: Authenticator;
  readonly kubelet: Kubelet;
}

/** kubectl exec: a WebSocket to pods/exec, handed through to the kubelet. */
export function upgradeListener(needs: UpgradeNeeds): (request: IncomingMessage, socket: Duplex) => void {
  return (request, socket) => {
    void upgrade(needs, request, socket).catch((error) => refuse(socket, error));
  };
}

async function upgrade(
  { api, authenticator, kubelet }: UpgradeNeeds,
  request: IncomingMessage,
  socket: Duplex,
): Promise<void> {
  await authenticator.authenticate(request);
  const url = new URL(request.url ?? "/", "https://localhost");
  const path = parsePath(url.pathname);
  const isExec = path.kind === "resource" && path.group === "" && path.plural === "pods" && path.subresource === "exec";
  if (!isExec || !path.name) throw unknownResource();
  const { namespace = "", name } = path;
  const container = await containerOf(api, namespace, name, url.searchParams.get("container"));
  url.searchParams.delete("container");
  await proxyUpgrade(kubelet, request, socket, `/exec/${namespace}/${name}/${container}?${url.searchParams}`);
}

function refuse(socket: Duplex, error: unknown): void {
  const refusal = error instanceof ApiError ? error : internalError(String(error));
  const body = JSON.stringify(refusal.status);
  const headers = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n`;
  socket.end(`HTTP/1.1 ${refusal.code} ${refusal.reason}\r\n${headers}\r\n${body}`);
}
