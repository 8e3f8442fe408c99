import type { KubeClient } from "@etcd-operator/kubernetes-client";
import { hasCode, KubernetesError, keyOf, resources } from "@etcd-operator/kubernetes-client";
import type { StoreSettings, VolumeSettings } from "@etcd-operator/object-store";
import { ObjectStoreError } from "@etcd-operator/object-store";
import type { Secret } from "kubernetes-types/core/v1.d.ts";
import { guardedLookup, whyNotDialled } from "../trust/guarded-lookup.ts";
import { addressRule, howToTrust, type Trust } from "../trust/trust.ts";
import type { CloudBlock } from "./store-block.ts";
import { storeFailure } from "./store-failure.ts";

export type CloudSettings = Exclude<StoreSettings, VolumeSettings>;

/** The part of the Kubernetes client that reads Secrets: only by name, which is all that our permissions allow. */
type SecretSource = Pick<KubeClient, "get">;

export interface SettingsDeps {
  readonly client: SecretSource;
  readonly trust: Trust;
}

/**
 * What the store of a block is opened with, and what of the operator's own that may use. Read each time, so that a
 * renewed Secret counts, and what an administrator allows.
 */
export async function cloudSettings(
  { client, trust }: SettingsDeps,
  namespace: string,
  block: CloudBlock,
  signal: AbortSignal,
): Promise<CloudSettings> {
  const settings = await settingsWithSecret(client, namespace, block, signal);
  await checkServer(serverNamedIn(settings), trust);
  const lookup = guardedLookup(addressRule(trust), trust.resolve);
  switch (settings.kind) {
    case "s3": {
      const mayUseOwnIdentity =
        !holdsKeys(settings) && !settings.endpoint && (await isGranted(trust, namespace, block, signal));
      return { ...settings, mayUseOwnIdentity, ...(settings.endpoint && { lookup }) };
    }
    case "gcs":
      if (settings.accessToken || settings.credentialsJson) return settings;
      return { ...settings, mayUseOwnIdentity: await isGranted(trust, namespace, block, signal) };
    case "abs":
    case "oss":
      return { ...settings, ...(serverNamedIn(settings) && { lookup }) };
  }
}

/** The store itself finds out whether they are usable; a profile without any stands for the operator's own. */
function holdsKeys({ profile }: Extract<CloudSettings, { kind: "s3" }>): boolean {
  return /aws_access_key_id/i.test(`${profile?.credentials}${profile?.config}`);
}

async function isGranted(trust: Trust, namespace: string, { type }: CloudBlock, signal: AbortSignal): Promise<true> {
  if (await trust.isTrusted(namespace, signal)) return true;
  const field = type === "GCS" ? "gcs.gcpSecret" : "s3.awsSecret";
  const message =
    `objects in the namespace '${namespace}' may not use the operator's cloud identity: ` +
    `set ${field} to a Secret with keys; or ${howToTrust(namespace)}`;
  throw new ObjectStoreError("bad-credentials", { operation: "open store", message });
}

/** The server that the user names instead of the cloud's own, and where; undefined when there is none. */
function serverNamedIn(settings: CloudSettings): { readonly server: string; readonly field: string } | undefined {
  switch (settings.kind) {
    case "s3":
    case "oss":
      return settings.endpoint ? { server: settings.endpoint, field: `${settings.kind}.endpoint` } : undefined;
    case "abs":
      return settings.cloud?.includes("//") ? { server: settings.cloud, field: "'cloud' in the Secret" } : undefined;
    case "gcs":
      return undefined;
  }
}

/** Before anything is sent, so that the reason is reported; each connection is checked again. */
async function checkServer(named: ReturnType<typeof serverNamedIn>, trust: Trust): Promise<void> {
  if (!named) return;
  const address = named.server.includes("//") ? named.server : `https://${named.server}`;
  if (!URL.canParse(address)) return;
  const why = await whyNotDialled(new URL(address).hostname, addressRule(trust), trust.resolve);
  if (why === undefined) return;
  const message = `the server in ${named.field} is not allowed: ${why}; use another server`;
  throw new ObjectStoreError("access-denied", { operation: "open store", message });
}

async function settingsWithSecret(
  client: SecretSource,
  namespace: string,
  { type, block, bucket }: CloudBlock,
  signal: AbortSignal,
): Promise<CloudSettings> {
  const read = (field: string, name: string) => readSecret(client, { namespace, name }, field, signal);
  switch (type) {
    case "S3": {
      const { awsSecret, endpoint, forcePathStyle } = block;
      const shared = { kind: "s3", bucket, endpoint, forcePathStyle } as const;
      if (!awsSecret) return shared;
      const secret = await read("s3.awsSecret", awsSecret);
      const [credentials, config] = [secret.get("credentials"), secret.get("config")];
      if (!credentials && !config) throw secret.lacks("'credentials'");
      return { ...shared, profile: { credentials, config } };
    }
    case "ABS": {
      const secret = await read("abs.absSecret", block.absSecret);
      const [account, accountKey] = [secret.need("storage-account"), secret.need("storage-key")];
      return { kind: "abs", container: bucket, account, accountKey, cloud: secret.word("cloud") };
    }
    case "GCS": {
      if (!block.gcpSecret) return { kind: "gcs", bucket };
      const secret = await read("gcs.gcpSecret", block.gcpSecret);
      const [accessToken, credentialsJson] = [secret.word("access-token"), secret.get("credentials.json")];
      if (!accessToken && !credentialsJson) throw secret.lacks("'access-token' or 'credentials.json'");
      return { kind: "gcs", bucket, accessToken, credentialsJson };
    }
    case "OSS": {
      const secret = await read("oss.ossSecret", block.ossSecret);
      const [accessKeyId, accessKeySecret] = [secret.need("accessKeyID"), secret.need("accessKeySecret")];
      return { kind: "oss", bucket, endpoint: block.endpoint, accessKeyId, accessKeySecret };
    }
  }
}

async function readSecret(
  client: SecretSource,
  ref: { readonly namespace: string; readonly name: string },
  field: string,
  signal: AbortSignal,
): Promise<SecretContent> {
  const called = `Secret '${keyOf(ref)}' of ${field}`;
  try {
    return new SecretContent(await client.get(resources.secrets, ref, { signal }), called);
  } catch (error) {
    if (hasCode(error, "not-found")) throw badSecret(called, `does not exist: create it, or correct ${field}`, error);
    throw error instanceof KubernetesError ? storeFailure(`read ${called}`, error) : error;
  }
}

class SecretContent {
  readonly #data: Readonly<Record<string, string>>;
  readonly #called: string;

  constructor({ data = {} }: Pick<Secret, "data">, called: string) {
    this.#data = data;
    this.#called = called;
  }

  /** As it is; undefined when it is missing or empty. */
  get(key: string): string | undefined {
    return Buffer.from(this.#data[key] ?? "", "base64").toString() || undefined;
  }

  /** Without the line ends that come along when a file is put into a Secret. */
  word(key: string): string | undefined {
    return this.get(key)?.trim() || undefined;
  }

  need(key: string): string {
    const found = this.word(key);
    if (found === undefined) throw this.lacks(`'${key}'`);
    return found;
  }

  lacks(what: string): ObjectStoreError {
    return badSecret(this.#called, `has no ${what}: add it`);
  }
}

function badSecret(called: string, what: string, cause?: unknown): ObjectStoreError {
  return new ObjectStoreError("bad-credentials", { operation: "open store", message: `${called} ${what}`, cause });
}
