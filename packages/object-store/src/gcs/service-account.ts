import { createPrivateKey, type KeyObject, sign } from "node:crypto";
import type { TokenSource } from "./access-tokens.ts";
import { CredentialError } from "./gcs-error.ts";
import type { ServiceAccount } from "./google-credentials.ts";
import type { GoogleHttp } from "./google-http.ts";
import { formRequest, requestToken } from "./token-request.ts";

/** Objects, and nothing else of the bucket. */
export const STORAGE_SCOPE = "https://www.googleapis.com/auth/devstorage.read_write";
const LIFETIME_SECONDS = 3_600;

/** Tokens for the key of a service account: a statement signed with it is exchanged for one. */
export function serviceAccountTokens(account: ServiceAccount, http: GoogleHttp): TokenSource {
  const identity = `the service account '${account.client_email}'`;
  const key = privateKeyOf(account, identity);
  return {
    identity,
    async fetch() {
      const assertion = signedStatement(account, key, Math.floor(Date.now() / 1_000));
      const fields = { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion };
      return await requestToken(http, formRequest(account.token_uri, fields), identity);
    },
  };
}

function privateKeyOf({ private_key: pem }: ServiceAccount, identity: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    throw new CredentialError("bad-credentials", `the private key of ${identity} cannot be read: make a new one`);
  }
}

function signedStatement(account: ServiceAccount, key: KeyObject, nowSeconds: number): string {
  const { client_email: iss, token_uri: aud, private_key_id: kid } = account;
  const claims = { iss, aud, scope: STORAGE_SCOPE, iat: nowSeconds, exp: nowSeconds + LIFETIME_SECONDS };
  const statement = `${encoded({ alg: "RS256", typ: "JWT", kid })}.${encoded(claims)}`;
  return `${statement}.${sign("RSA-SHA256", Buffer.from(statement), key).toString("base64url")}`;
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
