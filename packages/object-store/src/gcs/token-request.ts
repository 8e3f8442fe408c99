import { refusalText, wholeText } from "../bounded-body.ts";
import { IDLE_TIMEOUT_MS } from "../guarded-call.ts";
import { idleGuard } from "../idle-guard.ts";
import type { AccessToken } from "./access-tokens.ts";
import { CredentialError } from "./gcs-error.ts";
import type { GoogleHttp, GoogleRequest } from "./google-http.ts";

export type TokenRequest = Omit<GoogleRequest, "signal">;

/** Tokens have a few kilobytes at most: they travel in a header. */
const MOST_TOKEN_BYTES = 64 << 10;

/** Asks for a token, and reads the answer of OAuth's token endpoints. */
export async function requestToken(http: GoogleHttp, request: TokenRequest, identity: string): Promise<AccessToken> {
  const said = await requestJson(http, request, identity);
  const { access_token: token, expires_in: lifetimeSeconds } = said;
  if (typeof token !== "string" || token === "") throw unexpected(identity);
  return { token, expiresAtMs: Date.now() + Number(lifetimeSeconds ?? 0) * 1_000 };
}

export function formRequest(url: string, fields: Readonly<Record<string, string>>): TokenRequest {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  return { method: "POST", url, headers, body: new URLSearchParams(fields).toString() };
}

export async function requestJson(
  http: GoogleHttp,
  request: TokenRequest,
  identity: string,
): Promise<Readonly<Record<string, unknown>>> {
  const said = objectIn(await requestText(http, request, identity));
  if (!said) throw unexpected(identity);
  return said;
}

/**
 * The answer's text. What an error says of it is never more than Google's short word: the rest may quote what was sent.
 */
export async function requestText(http: GoogleHttp, request: TokenRequest, identity: string): Promise<string> {
  const guard = idleGuard(undefined, IDLE_TIMEOUT_MS);
  try {
    const { status, body } = await http.send({ ...request, signal: guard.signal });
    if (status === 200) return await wholeText(body, MOST_TOKEN_BYTES);
    throw refused(status, await refusalText(body), identity);
  } catch (error) {
    if (error instanceof CredentialError) throw error;
    throw new CredentialError("unavailable", `no token for ${identity}: its server does not answer`);
  } finally {
    guard.end();
  }
}

function refused(status: number, text: string, identity: string): CredentialError {
  const said = objectIn(text)?.error;
  const word = typeof said === "string" && /^[a-z_]{1,40}$/.test(said) ? said : "";
  const summary = `${status} ${word}`.trim();
  if (status === 408 || status === 429 || status >= 500) {
    return new CredentialError("unavailable", `no token for ${identity} (${summary}); retrying`);
  }
  return new CredentialError(
    "bad-credentials",
    `Google gives no token for ${identity} (${summary}): renew the credentials`,
  );
}

function unexpected(identity: string): CredentialError {
  return new CredentialError("unavailable", `the answer for ${identity} holds no token`);
}

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
