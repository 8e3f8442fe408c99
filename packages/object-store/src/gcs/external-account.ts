import { readFile } from "node:fs/promises";
import type { AccessToken, TokenSource } from "./access-tokens.ts";
import { CredentialError } from "./gcs-error.ts";
import type { ExternalAccount } from "./google-credentials.ts";
import type { GoogleHttp } from "./google-http.ts";
import { STORAGE_SCOPE } from "./service-account.ts";
import { formRequest, requestJson, requestText, requestToken } from "./token-request.ts";

const IDENTITY = "the external account";
/** What it takes to act as a service account. */
const IMPERSONATION_SCOPE = "https://www.googleapis.com/auth/cloud-platform";

/**
 * Tokens for an identity of another provider: its proof is exchanged for a token, and that perhaps for one of a service
 * account.
 */
export function externalAccountTokens(account: ExternalAccount, http: GoogleHttp): TokenSource {
  const impersonationUrl = account.service_account_impersonation_url;
  return {
    identity: IDENTITY,
    async fetch() {
      const proof = await proofOf(account, http);
      if (impersonationUrl === undefined) return await exchange(account, proof, STORAGE_SCOPE, http);
      const { token } = await exchange(account, proof, IMPERSONATION_SCOPE, http);
      return await impersonate(impersonationUrl, token, http);
    },
  };
}

/** Read again each time: such proofs last for minutes. */
async function proofOf({ credential_source: source }: ExternalAccount, http: GoogleHttp): Promise<string> {
  const text =
    source.url === undefined ? await contentsOf(source.file ?? "") : await answerFrom(source.url, source.headers, http);
  if (source.format?.type !== "json") return text.trim();
  const proof = fieldOf(text, source.format.subject_token_field_name ?? "");
  if (proof !== undefined) return proof;
  throw new CredentialError(
    "bad-credentials",
    `what ${IDENTITY} takes its proof from lacks the field that is to hold it`,
  );
}

async function answerFrom(
  url: string,
  headers: Readonly<Record<string, string>> | undefined,
  http: GoogleHttp,
): Promise<string> {
  return await requestText(http, { method: "GET", url, headers: headers ?? {} }, `${IDENTITY}'s own provider`);
}

async function contentsOf(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch {
    const message = `${IDENTITY} takes its proof from the file '${file}', which the operator cannot read: mount it there`;
    throw new CredentialError("bad-credentials", message);
  }
}

function fieldOf(text: string, name: string): string | undefined {
  try {
    const value = (JSON.parse(text) as Record<string, unknown>)[name];
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

async function exchange(
  { token_url, audience, subject_token_type }: ExternalAccount,
  proof: string,
  scope: string,
  http: GoogleHttp,
): Promise<AccessToken> {
  const fields = {
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    requested_token_type: "urn:ietf:params:oauth:token-type:access_token",
    ...{ audience, scope, subject_token: proof, subject_token_type },
  };
  return await requestToken(http, formRequest(token_url, fields), IDENTITY);
}

async function impersonate(url: string, token: string, http: GoogleHttp): Promise<AccessToken> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = JSON.stringify({ scope: [STORAGE_SCOPE] });
  const said = await requestJson(http, { method: "POST", url, headers, body }, `${IDENTITY}'s service account`);
  const { accessToken, expireTime } = said;
  if (typeof accessToken === "string" && typeof expireTime === "string") {
    return { token: accessToken, expiresAtMs: Date.parse(expireTime) };
  }
  throw new CredentialError("unavailable", `the answer for ${IDENTITY}'s service account holds no token`);
}
