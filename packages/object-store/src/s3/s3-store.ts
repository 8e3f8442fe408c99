import type { ObjectStore } from "../object-store.ts";
import { ObjectStoreError } from "../object-store-error.ts";
import type { S3Settings, StoreTuning } from "../store-settings.ts";
import { endpointUrl } from "./endpoint-url.ts";
import { readProfile } from "./profile.ts";
import { S3ObjectStore } from "./s3-object-store.ts";

/** A bucket of Amazon S3, or of a server that speaks its protocol. */
export function s3Store(settings: S3Settings, tuning: StoreTuning, env = process.env): ObjectStore {
  const { bucket, endpoint, forcePathStyle = false, profile = {}, lookup } = settings;
  const { region, keys, role } = readProfile(profile);
  if (!keys) requireOwnIdentity(settings);
  const url = endpoint ? endpointUrl(endpoint) : undefined;
  const connection = {
    kind: "s3",
    bucket,
    endpoint: url,
    forcePathStyle,
    // Where AWS' bucket lies is found out by asking; other servers mostly do not care.
    region: region ?? env.AWS_REGION ?? env.AWS_DEFAULT_REGION ?? "us-east-1",
    sendsChecksums: url === undefined || /\.amazonaws\.com(\.cn)?$/.test(url.hostname),
    keys,
    role,
    lookup,
    env,
  } as const;
  return new S3ObjectStore(connection, tuning);
}

/** The operator's own identity is shown to AWS alone, and where it was granted. */
function requireOwnIdentity({ endpoint, mayUseOwnIdentity = false }: S3Settings): void {
  if (mayUseOwnIdentity && !endpoint) return;
  const message = endpoint
    ? "s3.endpoint is only asked with keys of a Secret, never as the operator itself: name a Secret with keys in s3.awsSecret"
    : "the operator's own identity may not be used here: name a Secret with keys in s3.awsSecret";
  throw new ObjectStoreError("bad-credentials", { operation: "open s3", message });
}
