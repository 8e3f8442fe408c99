import { Agent as PlainAgent } from "node:http";
import { Agent } from "node:https";
import type { LookupFunction } from "node:net";
import { S3Client, type S3ClientConfig } from "@aws-sdk/client-s3";
import type { ProxyEnvironment } from "../proxy-for.ts";
import { boundedHandler } from "./bounded-handler.ts";
import type { AccessKeys, AssumedRole } from "./profile.ts";
import { ProxyingAgent } from "./proxying-agent.ts";

/** What every server that speaks S3 is reached with. */
export interface S3Connection {
  /** For messages, as in "put s3 'bucket/key'". */
  readonly kind: "s3" | "oss";
  readonly bucket: string;
  /** AWS itself when absent. */
  readonly endpoint: URL | undefined;
  readonly forcePathStyle: boolean;
  readonly region: string;
  /** In headers and trailers: AWS' own way, which buckets with object lock want and other servers may refuse. */
  readonly sendsChecksums: boolean;
  /** The pod's own role when absent. */
  readonly keys: AccessKeys | undefined;
  readonly role: AssumedRole | undefined;
  /** How the addresses of the endpoint are found; as Node finds them when absent. */
  readonly lookup?: LookupFunction | undefined;
  /** Where HTTPS_PROXY and NO_PROXY are looked up; the process' own when absent. */
  readonly env?: ProxyEnvironment;
}

const CONNECT_TIMEOUT_MS = 10_000;
const AGENT = { keepAlive: true, maxSockets: 50 };

/** A client that gives up on a connection on which nothing moves for so long. */
export function s3Client(connection: S3Connection, idleTimeoutMs: number): S3Client {
  const { endpoint, forcePathStyle, region, sendsChecksums } = connection;
  const credentials = credentialsOf(connection);
  const client = new S3Client({
    region,
    forcePathStyle,
    ...(endpoint && { endpoint: endpoint.href }),
    ...(credentials && { credentials }),
    // A bucket may lie in another region than the profile says.
    followRegionRedirects: endpoint === undefined,
    requestChecksumCalculation: sendsChecksums ? "WHEN_SUPPORTED" : "WHEN_REQUIRED",
    responseChecksumValidation: sendsChecksums ? "WHEN_SUPPORTED" : "WHEN_REQUIRED",
    // Failures are counted by us, as those of every store.
    maxAttempts: 1,
    // The SDK would open a connection for every part, and ask on it whether the part may come. A client that began an
    // upload may send its parts.
    expectContinueHeader: false,
    requestHandler: {
      connectionTimeout: Math.min(CONNECT_TIMEOUT_MS, idleTimeoutMs),
      socketTimeout: idleTimeoutMs,
      ...agentsFor(connection),
    },
  });
  client.config.requestHandler = boundedHandler(client.config.requestHandler, idleTimeoutMs);
  return client;
}

function agentsFor({ lookup, env = process.env }: S3Connection): { httpAgent?: PlainAgent; httpsAgent?: Agent } {
  const options = { ...AGENT, ...(lookup && { lookup }) };
  if (env.https_proxy || env.HTTPS_PROXY) {
    return { httpsAgent: new ProxyingAgent(env, options), ...(lookup && { httpAgent: new PlainAgent(options) }) };
  }
  return lookup ? { httpAgent: new PlainAgent(options), httpsAgent: new Agent(options) } : {};
}

function credentialsOf({ keys, role, region }: S3Connection): S3ClientConfig["credentials"] {
  if (!role) return keys;
  const { arn: RoleArn, sessionName: RoleSessionName, externalId: ExternalId } = role;
  const params = { RoleArn, RoleSessionName, ...(ExternalId && { ExternalId }) };
  return async (...args) => {
    // A large package, which few need.
    const { fromTemporaryCredentials } = await import("@aws-sdk/credential-providers");
    const provider = fromTemporaryCredentials({
      params,
      clientConfig: { region },
      ...(keys && { masterCredentials: keys }),
    });
    return await provider(...args);
  };
}
