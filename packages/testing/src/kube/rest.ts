import { readFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { request as send } from "node:https";
import { text } from "node:stream/consumers";
import type { Identity } from "@etcd-operator/local-kubernetes/kubeconfig-file.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A Kubernetes object as far as most tests care. */
export interface KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata?: {
    name?: string;
    namespace?: string;
    uid?: string;
    resourceVersion?: string;
    [field: string]: unknown;
  };
  [field: string]: unknown;
}

interface RestAnswer<Body> {
  readonly code: number;
  /** The parsed JSON; undefined when the server answered with something else. */
  readonly body: Body;
  readonly text: string;
}

interface RestOptions {
  /** Default: JSON, and a merge patch for PATCH. */
  readonly contentType?: string;
  readonly signal?: AbortSignal;
}

/** One raw request to the API server; any status code is an answer, only a broken connection throws. */
export type Rest = <Body = KubeObject>(
  method: Method,
  path: string,
  body?: unknown,
  options?: RestOptions,
) => Promise<RestAnswer<Body>>;

const timeoutMs = 30_000;

/** A client that speaks to `server` as `identity`, over TLS checked against the CA in the file `ca`. */
export async function restClient(server: string, ca: string, identity: Identity): Promise<Rest> {
  const tls = { ca: await readFile(ca), ...(await clientCertificate(identity)) };
  const authorization = identity.kind === "token" ? { authorization: `Bearer ${identity.token}` } : {};
  return async <Body>(method: Method, path: string, body?: unknown, options: RestOptions = {}) => {
    const contentType =
      options.contentType ?? (method === "PATCH" ? "application/merge-patch+json" : "application/json");
    const payload = body === undefined ? undefined : JSON.stringify(body);
    // Node sends the body of a DELETE without its length unless told, and the server takes it for the next request.
    const described = payload && { "content-type": contentType, "content-length": Buffer.byteLength(payload) };
    const headers = { accept: "application/json", ...authorization, ...described };
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const { signal } = options;
      const outgoing = send(new URL(path, server), {
        method,
        headers,
        timeout: timeoutMs,
        ...tls,
        ...(signal && { signal }),
      });
      outgoing.once("response", resolve);
      outgoing.once("error", reject);
      outgoing.once("timeout", () => outgoing.destroy(new Error(`${method} ${path}: no answer in ${timeoutMs} ms`)));
      outgoing.end(payload);
    });
    return parsed<Body>(answer.statusCode ?? 0, await text(answer));
  };
}

async function clientCertificate(identity: Identity): Promise<{ cert?: Buffer; key?: Buffer }> {
  if (identity.kind !== "certificate") return {};
  return { cert: await readFile(identity.cert), key: await readFile(identity.key) };
}

function parsed<Body>(code: number, text: string): RestAnswer<Body> {
  const json: unknown = /^\s*[{[]/.test(text) ? JSON.parse(text) : undefined;
  // The caller names the shape it expects; a test that is wrong about it fails on what it reads.
  return { code, body: json as Body, text };
}
