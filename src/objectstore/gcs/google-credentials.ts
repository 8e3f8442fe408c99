import * as z from "zod";
import { ObjectStoreError } from "../object-store-error.ts";

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

/** Reads a file of credentials as Google writes them; `where` says which, for the message. */
export function googleCredentials(json: string, where: string): GoogleCredentials {
  const parsed = known.safeParse(asJson(json, where));
  if (!parsed.success) throw unusable(defectOf(parsed.error, where));
  const credentials = parsed.data;
  for (const url of addressesIn(credentials)) checkAddress(url, where);
  if (credentials.type === "external_account") checkSource(credentials, where);
  return credentials;
}

function asJson(json: string, where: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // What the parser says quotes the text.
    throw unusable(`${where} is not JSON: put the file there as Google gave it`);
  }
}

function defectOf({ issues }: z.ZodError, where: string): string {
  const [issue] = issues;
  const field = issue?.path.join(".") ?? "";
  if (field === "" || field === "type") {
    return `${where} is of an unknown type: take the key of a service account, or an external account`;
  }
  return `${where} lacks a usable '${field}': put the file there as Google gave it`;
}

function addressesIn(credentials: GoogleCredentials): string[] {
  switch (credentials.type) {
    case "service_account":
      return [credentials.token_uri];
    case "authorized_user":
      return [];
    case "external_account": {
      const { token_url, service_account_impersonation_url: impersonation } = credentials;
      return impersonation === undefined ? [token_url] : [token_url, impersonation];
    }
  }
}

/**
 * Whoever may write a Secret writes these addresses, and proofs of identity go there, with an external account one from a file of ours:
 * they go to Google and to nobody else.
 */
function checkAddress(url: string, where: string): void {
  const { protocol = "", hostname = "" } = URL.canParse(url) ? new URL(url) : {};
  const isGoogle = hostname.endsWith(".googleapis.com") || hostname === "accounts.google.com";
  if (protocol === "https:" && isGoogle) return;
  throw unusable(`${where} leads to '${hostname}', which is no address of Google's: take the file as Google gave it`);
}

function checkSource({ credential_source: { file, url } }: ExternalAccount, where: string): void {
  if (file !== undefined || url !== undefined) return;
  throw unusable(`${where} takes its proof neither from a file nor from a URL, and other ways are not supported`);
}

function unusable(message: string): ObjectStoreError {
  return new ObjectStoreError("bad-credentials", { operation: "open gcs", message });
}
