import { S3Client, type S3ClientConfig } from "@aws-sdk/client-s3";
import type { ProxyEnvironment } from "../proxy-for.ts";
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
  /** Where HTTPS_PROXY and NO_PROXY are looked up; the process' own when absent. */
  readonly env?: ProxyEnvironment;
}

const CONNECT_TIMEOUT_MS = 10_000;

/** A client that gives up on a connection on which nothing moves for so long. */
export function s3Client(connection: S3Connection, idleTimeoutMs: number): S3Client {
  const { endpoint, forcePathStyle, region, sendsChecksums, env = process.env } = connection;
  const credentials = credentialsOf(connection);
  return new S3Client({
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
    // The SDK would open a connection for every part, and ask on it whether the part may come. Whoever began an upload may send its parts.
    expectContinueHeader: false,
    requestHandler: {
      connectionTimeout: Math.min(CONNECT_TIMEOUT_MS, idleTimeoutMs),
      socketTimeout: idleTimeoutMs,
      ...((env.https_proxy || env.HTTPS_PROXY) && { httpsAgent: new ProxyingAgent(env) }),
    },
  });
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
