import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, verify } from "node:crypto";
import type { ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { type GcsQuestion, GcsRefusal, sendJson } from "./gcs-fake-answer.ts";

const JWT_GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const EXCHANGE_GRANT = "urn:ietf:params:oauth:grant-type:token-exchange";
const SCOPE = "https://www.googleapis.com/auth/devstorage.read_write";
/** Clients with the fake as endpoint still name Google. */
const TOKEN_URI = "https://oauth2.googleapis.com/token";
const WIDE_SCOPE = "https://www.googleapis.com/auth/cloud-platform";

/** The rights of clients of the fake: its tokens, and where they come from. */
export class FakeOauth {
  /** Of tokens that are issued from now on. */
  lifetimeSeconds = 3_600;
  /** How many were issued, by what they were issued for. */
  readonly issued: string[] = [];
  readonly #accounts = new Map<string, KeyObject>();
  readonly #subjects = new Set<string>();
  /** Until when each is good, in milliseconds. */
  readonly #tokens = new Map<string, number>();

  /** A token that is good for the store itself. */
  issue(to: string): string {
    const token = `ya29.fake-${randomBytes(24).toString("base64url")}`;
    this.#tokens.set(token, Date.now() + this.lifetimeSeconds * 1_000);
    this.issued.push(to);
    return token;
  }

  /** No token that was issued so far is good any more. */
  revokeAll(): void {
    this.#tokens.clear();
  }

  /** What Google lets one download for a service account, once. */
  serviceAccount(email = "backup@project.iam.gserviceaccount.com") {
    const { privateKey, publicKey } = generateKeyPairSync("rsa", {
      modulusLength: 2_048,
      publicKeyEncoding: { type: "spki", format: "pem" },
      privateKeyEncoding: { type: "pkcs8", format: "pem" },
    });
    this.#accounts.set(email, createPublicKey(publicKey));
    return {
      type: "service_account",
      client_email: email,
      private_key_id: "1",
      private_key: privateKey,
      token_uri: TOKEN_URI,
    };
  }

  /** A token of another issuer, which may be exchanged for one of ours. */
  trustSubject(): string {
    const subject = `subject-${randomBytes(12).toString("hex")}`;
    this.#subjects.add(subject);
    return subject;
  }

  /** 401 unless the request shows a token that is good. */
  check({ incoming }: GcsQuestion): void {
    const [, token = ""] = /^Bearer (.+)$/.exec(incoming.headers.authorization ?? "") ?? [];
    if ((this.#tokens.get(token) ?? 0) > Date.now()) return;
    throw new GcsRefusal(401, "authError", "Invalid Credentials");
  }

  /** Answers a request for a token; whether it was one. */
  async answer(question: GcsQuestion, answer: ServerResponse): Promise<boolean> {
    const { method, path } = question;
    if (method === "POST" && path === "/token") await this.#token(question, answer);
    else if (method === "POST" && path === "/v1/token") await this.#exchange(question, answer);
    else if (method === "POST" && path.endsWith(":generateAccessToken")) this.#impersonate(question, answer);
    else if (path === "/computeMetadata/v1/instance/service-accounts/default/token") this.#ownToken(question, answer);
    else return false;
    return true;
  }

  async #token(question: GcsQuestion, answer: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await text(question.incoming));
    const defect = this.#defectOf(form);
    if (defect) return sendJson(answer, 400, { error: "invalid_grant", error_description: defect });
    this.#sendToken(answer, "service account");
  }

  #defectOf(form: URLSearchParams): string | undefined {
    if (form.get("grant_type") === "refresh_token") {
      return this.#subjects.has(form.get("refresh_token") ?? "") ? undefined : "Token has been expired or revoked.";
    }
    if (form.get("grant_type") !== JWT_GRANT) return "Unsupported grant_type";
    const [header = "", claims = "", signature = ""] = (form.get("assertion") ?? "").split(".");
    const { alg } = decoded(header);
    const { iss, aud, scope, iat, exp } = decoded(claims);
    const key = this.#accounts.get(String(iss));
    if (!key) return "Invalid grant: account not found";
    const signed = Buffer.from(`${header}.${claims}`);
    if (alg !== "RS256" || !verify("RSA-SHA256", signed, key, Buffer.from(signature, "base64url"))) {
      return "Invalid JWT Signature.";
    }
    if (aud !== TOKEN_URI) return "Invalid JWT: wrong audience";
    if (scope !== SCOPE) return "Invalid scope";
    const now = Date.now() / 1_000;
    const isTimely = Number(iat) <= now + 60 && Number(exp) > now && Number(exp) - Number(iat) <= 3_600;
    return isTimely ? undefined : "Invalid JWT: Token must be a short-lived token and in a reasonable timeframe.";
  }

  async #exchange({ incoming }: GcsQuestion, answer: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await text(incoming));
    const isWhole =
      form.get("grant_type") === EXCHANGE_GRANT &&
      form.get("requested_token_type") === "urn:ietf:params:oauth:token-type:access_token" &&
      (form.get("audience") ?? "").startsWith("//iam.googleapis.com/") &&
      form.get("subject_token_type") === "urn:ietf:params:oauth:token-type:jwt" &&
      [SCOPE, WIDE_SCOPE].includes(form.get("scope") ?? "");
    if (!isWhole) return sendJson(answer, 400, { error: "invalid_request", error_description: "Invalid request." });
    if (!this.#subjects.has(form.get("subject_token") ?? "")) {
      const description = `The token ${form.get("subject_token")} is not accepted.`;
      return sendJson(answer, 400, { error: "invalid_grant", error_description: description });
    }
    this.#sendToken(answer, "exchange");
  }

  #impersonate(question: GcsQuestion, answer: ServerResponse): void {
    this.check(question);
    const expireTime = new Date(Date.now() + this.lifetimeSeconds * 1_000).toISOString();
    sendJson(answer, 200, { accessToken: this.issue("impersonation"), expireTime });
  }

  #ownToken({ incoming }: GcsQuestion, answer: ServerResponse): void {
    if (incoming.headers["metadata-flavor"] !== "Google")
      throw new GcsRefusal(403, "forbidden", "Missing Metadata-Flavor");
    this.#sendToken(answer, "metadata", { "metadata-flavor": "Google" });
  }

  #sendToken(answer: ServerResponse, to: string, headers: Readonly<Record<string, string>> = {}): void {
    const body = { access_token: this.issue(to), expires_in: this.lifetimeSeconds, token_type: "Bearer" };
    sendJson(answer, 200, body, headers);
  }
}

function decoded(part: string): Record<string, unknown> {
  try {
    return JSON.parse(Buffer.from(part, "base64url").toString()) as Record<string, unknown>;
  } catch {
    return {};
  }
}
