import type { IncomingMessage } from "node:http";
import { request as send } from "node:https";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ApiContext } from "../api-context.ts";
import { ApiError, badRequest, notFound } from "../api-error.ts";
import type { Exchange } from "../http/exchange.ts";
import type { ResourcePath } from "../http/request-path.ts";
import { type KubeObject, listIn, numberIn, textIn } from "../kube-object.ts";
import { keyOfTarget } from "../verbs/target.ts";

/** What every kubelet is asked with; the administrator's token proves that it is the API server who asks. */
export interface KubeletAccess {
  readonly ca: string;
  readonly token: string;
}

/** One node's kubelet, which listens on loopback. */
export interface Kubelet extends KubeletAccess {
  readonly port: number;
}

const LOG_OPTIONS = ["follow", "tailLines", "sinceSeconds", "sinceTime", "timestamps", "previous", "limitBytes"];

/** GET of pods/log: the kubelet's answer, passed on as it comes. */
export async function readLog(
  api: ApiContext,
  access: KubeletAccess,
  exchange: Exchange,
  path: ResourcePath,
): Promise<void> {
  const { namespace = "", name = "" } = path;
  const pod = await podOf(api, namespace, name);
  const container = containerOf(pod, exchange.query.get("container"));
  const kubelet = { ...access, port: await kubeletPortOf(api, pod) };
  const query = new URLSearchParams();
  for (const option of LOG_OPTIONS) {
    const value = exchange.query.get(option);
    if (value !== null) query.set(option, value);
  }
  const answer = await ask(kubelet, `/containerLogs/${namespace}/${name}/${container}?${query}`, exchange.signal);
  if (answer.statusCode !== 200) throw await refusalOf(answer);
  exchange.head(200, { "content-type": "text/plain" });
  exchange.response.flushHeaders();
  await pipeline(answer, exchange.response).catch(() => {});
}

export async function podOf(api: ApiContext, namespace: string, name: string): Promise<KubeObject> {
  const resource = api.registry.findAny("", "pods");
  const entry = resource && (await api.store.get(keyOfTarget({ resource, namespace, name })));
  if (!resource || !entry) throw notFound({ group: "", plural: "pods" }, name);
  return resource.codec.read(entry);
}

/** The container that is asked for, or the only one. */
export function containerOf(pod: KubeObject, asked: string | null): string {
  const { name } = pod.metadata;
  const names = listIn(pod, "spec", "containers").map((container) => textIn(container, "name"));
  const inits = listIn(pod, "spec", "initContainers").map((container) => textIn(container, "name"));
  if (asked) {
    if ([...names, ...inits].includes(asked)) return asked;
    throw badRequest(`container ${asked} is not valid for pod ${name}`);
  }
  if (names.length === 1) return names[0] ?? "";
  const choice = `choose one of: [${names.join(" ")}]`;
  throw badRequest(`a container name must be specified for pod ${name}, ${choice}`);
}

/** Where the kubelet of a pod's node listens, which says so itself. */
export async function kubeletPortOf(api: ApiContext, pod: KubeObject): Promise<number> {
  const nodeName = textIn(pod, "spec", "nodeName");
  if (nodeName === "") throw badRequest(`pod ${pod.metadata.name} does not have a host assigned`);
  const node = await api.admission.find("", "nodes", nodeName);
  // A real API server, too, calls the node a pod here.
  if (!node) throw notFound({ group: "", plural: "pods" }, nodeName);
  return numberIn(node, "status", "daemonEndpoints", "kubeletEndpoint", "Port");
}

async function ask(kubelet: Kubelet, path: string, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = send({ ...addressOf(kubelet), path, signal, headers: authorization(kubelet) });
    outgoing.once("response", resolve);
    outgoing.once("error", (error) =>
      reject(new ApiError(500, "InternalError", `the kubelet does not answer: ${error.message}`)),
    );
    outgoing.end();
  });
}

async function refusalOf(answer: IncomingMessage): Promise<ApiError> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
  const message = Buffer.concat(chunks).toString("utf8").trim() || `the kubelet answered ${answer.statusCode}`;
  const code = answer.statusCode ?? 500;
  return new ApiError(code, code === 404 ? "NotFound" : code === 400 ? "BadRequest" : "InternalError", message);
}

function addressOf({ port, ca }: Kubelet) {
  return { host: "127.0.0.1", port, ca, servername: "localhost" };
}

function authorization({ token }: Kubelet): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

// What becomes of the connection is agreed upon between client and kubelet: these are the headers of that talk.
const UPGRADE_HEADERS = [
  "upgrade",
  "sec-websocket-key",
  "sec-websocket-version",
  "sec-websocket-protocol",
  "sec-websocket-extensions",
];

/** Joins the client's connection to one of the kubelet's, which then speaks the protocol that the client asked for. */
export async function proxyUpgrade(
  kubelet: Kubelet,
  request: IncomingMessage,
  socket: Duplex,
  path: string,
): Promise<void> {
  const headers: Record<string, string | string[]> = { ...authorization(kubelet), connection: "Upgrade" };
  for (const name of UPGRADE_HEADERS) {
    const value = request.headers[name];
    if (value !== undefined) headers[name] = value;
  }
  const outgoing = send({ ...addressOf(kubelet), path, headers });
  outgoing.once("upgrade", (answer, other, head) => {
    socket.write(`${headOf(answer)}\r\n`);
    if (head.length > 0) socket.write(head);
    other.pipe(socket).pipe(other);
    for (const [one, peer] of [
      [socket, other],
      [other, socket],
    ] as const) {
      one.once("error", () => peer.destroy());
      one.once("close", () => peer.destroy());
    }
  });
  outgoing.once("response", (answer) => {
    socket.write(`${headOf(answer)}\r\n`);
    answer.pipe(socket);
  });
  outgoing.once("error", () => socket.destroy());
  socket.once("error", () => outgoing.destroy());
  outgoing.end();
}

function headOf({ httpVersion, statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  const lines = [`HTTP/${httpVersion} ${statusCode} ${statusMessage}`];
  for (let index = 0; index < rawHeaders.length; index += 2)
    lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`);
  return lines.map((line) => `${line}\r\n`).join("");
}
