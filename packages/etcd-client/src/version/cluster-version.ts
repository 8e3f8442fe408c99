import { type IncomingMessage, request as plainRequest, type RequestOptions } from "node:http";
import { request as tlsRequest } from "node:https";
import type { CallOptions } from "../call-options.ts";
import { deadline } from "../deadline.ts";
import type { Endpoint } from "../endpoint.ts";
import { toEtcdError } from "../error-codes.ts";
import { canceledBy, connectionLost, GrpcFailure, GrpcStatus } from "../grpc/grpc-failure.ts";
import { secureOptions } from "../grpc/session.ts";

export interface ClusterVersions {
  /**
   * What the cluster as a whole has agreed to be, as in "3.5.0": the lowest minor of its members, some seconds after
   * the last of them was changed. No call tells it in every version, so it is asked for over HTTP, on the same port.
   */
  clusterVersion(options?: CallOptions): Promise<string>;
}

const OPERATION = "clusterVersion";
const DEFAULT_TIMEOUT_MS = 5_000;

export function clusterVersions(endpoint: Endpoint): ClusterVersions {
  return {
    async clusterVersion(options = {}) {
      try {
        return versionIn(await get(endpoint, options));
      } catch (error) {
        throw toEtcdError(error, OPERATION, endpoint.address);
      }
    },
  };
}

async function get(endpoint: Endpoint, { timeoutMs = DEFAULT_TIMEOUT_MS, signal }: CallOptions): Promise<string> {
  const limit = deadline(timeoutMs, signal);
  try {
    return await textOf(await answerOf(endpoint, limit.signal));
  } catch (error) {
    if (signal?.aborted) throw canceledBy(signal);
    if (limit.isOver) throw new GrpcFailure(GrpcStatus.deadlineExceeded, `no answer within ${timeoutMs} ms`);
    throw connectionLost(error);
  } finally {
    limit.release();
  }
}

/** Over a connection of its own: the other speaks HTTP/2, and without TLS etcd takes all of that for gRPC. */
async function answerOf(endpoint: Endpoint, signal: AbortSignal): Promise<IncomingMessage> {
  const { address, tls, lookup } = endpoint;
  const { hostname, port } = new URL(`http://${address}`);
  const asked: RequestOptions = {
    host: hostname.replace(/^\[|\]$/g, ""),
    port,
    path: "/version",
    ...(lookup && { lookup }),
    signal,
    // One that is shared would take connections of others with the same name for its own, whatever they show: it knows
    // no contexts.
    agent: false,
  };
  return new Promise((resolve, reject) => {
    const request = tls
      ? tlsRequest({ ...asked, ...secureOptions(tls, endpoint) }, resolve)
      : plainRequest(asked, resolve);
    request.on("error", reject).end();
  });
}

/** A few dozen bytes are what etcd says here. */
const MOST_BYTES = 16 << 10;

async function textOf(answer: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of answer.setEncoding("utf8")) {
    text += String(chunk);
    if (text.length > MOST_BYTES)
      throw new GrpcFailure(GrpcStatus.resourceExhausted, `its answer is larger than the limit of ${MOST_BYTES} bytes`);
  }
  return text;
}

function versionIn(text: string): string {
  const version = /"etcdcluster"\s*:\s*"([^"]*)"/.exec(text)?.[1];
  if (version !== undefined) return version;
  throw new GrpcFailure(GrpcStatus.unimplemented, "its answer names no version of the cluster");
}
