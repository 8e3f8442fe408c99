import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { ApiContext } from "../api-context.ts";
import { ApiError, internalError, unknownResource } from "../api-error.ts";
import type { Gatekeeper } from "../http/gatekeeper.ts";
import { parsePath } from "../http/request-path.ts";
import { requestUrl } from "../http/request-url.ts";
import { execPlaceOf } from "./exec-place.ts";
import { type KubeletAccess, proxyUpgrade } from "./kubelet-proxy.ts";

interface UpgradeNeeds {
  readonly api: ApiContext;
  readonly gatekeeper: Gatekeeper;
  readonly access: KubeletAccess;
}

/** kubectl exec: connections to a pod, handed through to its kubelet. */
export function upgradeListener(needs: UpgradeNeeds): (request: IncomingMessage, socket: Duplex) => void {
  return (request, socket) => {
    void upgrade(needs, request, socket).catch((error) => refuse(socket, error));
  };
}

async function upgrade(
  { api, gatekeeper, access }: UpgradeNeeds,
  request: IncomingMessage,
  socket: Duplex,
): Promise<void> {
  await gatekeeper.admit(request);
  const url = requestUrl(request.url);
  const path = parsePath(url.pathname);
  const isOfPod = path.kind === "resource" && !path.isWatch && path.group === "" && path.plural === "pods";
  if (!isOfPod || !path.name || path.subresource !== "exec") throw unknownResource();
  const { port, path: target } = await execPlaceOf(api, { ...path, name: path.name }, url.searchParams);
  await proxyUpgrade({ ...access, port }, request, socket, target);
}

function refuse(socket: Duplex, error: unknown): void {
  const refusal = error instanceof ApiError ? error : internalError(String(error));
  const body = JSON.stringify(refusal.status);
  const headers = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n`;
  socket.end(`HTTP/1.1 ${refusal.code} ${refusal.reason}\r\n${headers}\r\n${body}`);
}
