import * as z from "zod";
import { ObjectStoreError } from "../object-store-error.ts";
import { type GoogleService, isGoogleAddress } from "./google-addresses.ts";

const serviceAccount = z.object({
  type: z.literal("service_account"),
  client_email: z.string().min(1),
  private_key: z.string().min(1),
  private_key_id: z.string().optional(),
  token_uri: z.string().default("https://oauth2.googleapis.com/token"),
});

const authorizedUser = z.object({
  type: z.literal("authorized_user"),
  client_id: z.string().min(1),
  client_secret: z.string().min(1),
  refresh_token: z.string().min(1),
});

const format = z.object({
  type: z.enum(["text", "json"]).default("text"),
  subject_token_field_name: z.string().optional(),
});

const externalAccount = z.object({
  type: z.literal("external_account"),
  audience: z.string().min(1),
  subject_token_type: z.string().min(1),
  token_url: z.string(),
  service_account_impersonation_url: z.string().optional(),
  credential_source: z.object({
    file: z.string().optional(),
    url: z.string().optional(),
    headers: z.record(z.string(), z.string()).optional(),
    format: format.optional(),
  }),
});

const known = z.discriminatedUnion("type", [serviceAccount, authorizedUser, externalAccount]);

export type ServiceAccount = z.output<typeof serviceAccount>;
export type AuthorizedUser = z.output<typeof authorizedUser>;
export type ExternalAccount = z.output<typeof externalAccount>;
export type GoogleCredentials = z.output<typeof known>;

/**
 * Where a file of credentials comes from: the administrator of the operator, or a Secret that a user of one namespace
 * may have written.
 */
export type CredentialsOrigin = "administrator" | "secret";

/** Reads a file of credentials as Google writes them; `where` says which, for the message. */
export function googleCredentials(json: string, where: string, origin: CredentialsOrigin): GoogleCredentials {
  const parsed = known.safeParse(asJson(json, where));
  if (!parsed.success) throw unusable(defectOf(parsed.error, where));
  const credentials = parsed.data;
  if (credentials.type === "external_account") checkSource(credentials, where, origin);
  checkAddresses(credentials, where);
  return credentials;
}

function asJson(json: string, where: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // What the parser says quotes the text.
    throw unusable(`${where} is not JSON: copy Google's file unchanged`);
  }
}

function defectOf({ issues }: z.ZodError, where: string): string {
  const [issue] = issues;
  const field = issue?.path.join(".") ?? "";
  if (field === "" || field === "type") {
    return `${where} is of an unknown type: take the key of a service account, or an external account`;
  }
  return `${where} lacks a usable '${field}': copy Google's file unchanged`;
}

/** Proofs of identity are sent to these, so they are Google's own services for tokens and nothing else. */
function checkAddresses(credentials: GoogleCredentials, where: string): void {
  for (const [field, url, service] of addressesIn(credentials)) {
    if (isGoogleAddress(url, service)) continue;
    const host = URL.canParse(url) ? new URL(url).hostname : "";
    throw unusable(
      `'${field}' of ${where} names '${host}', which is no token service of Google: copy Google's file unchanged`,
    );
  }
}

function addressesIn(credentials: GoogleCredentials): (readonly [string, string, GoogleService])[] {
  switch (credentials.type) {
    case "service_account":
      return [["token_uri", credentials.token_uri, "token"]];
    case "authorized_user":
      return [];
    case "external_account": {
      const { token_url, service_account_impersonation_url: url } = credentials;
      const exchange = ["token_url", token_url, "exchange"] as const;
      return url === undefined ? [exchange] : [exchange, ["service_account_impersonation_url", url, "impersonation"]];
    }
  }
}

/**
 * The proof is read where the operator runs: what a Secret names there belongs to the operator, and not to the Secret's
 * author.
 */
function checkSource({ credential_source }: ExternalAccount, where: string, origin: CredentialsOrigin): void {
  if (origin === "secret") {
    throw unusable(
      `${where} is an external account, whose proof would be read from the operator's own pod: ` +
        "use the key of a service account, an access token, or the operator's default credentials",
    );
  }
  if (credential_source.file !== undefined || credential_source.url !== undefined) return;
  throw unusable(`${where} takes its proof neither from a file nor from a URL, and other ways are not supported`);
}

function unusable(message: string): ObjectStoreError {
  return new ObjectStoreError("bad-credentials", { operation: "open gcs", message });
}
