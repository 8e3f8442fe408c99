import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { isObject, type JsonObject, numberIn, objectIn, textIn } from "../kube-object.ts";
import type { ObjectStore } from "../storage/object-store.ts";

const KEY = "/local/service-account-key";
const ISSUER = "https://kubernetes.default.svc.cluster.local";

/** Whose token it is. */
export interface ServiceAccountClaims {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export interface TokenWishes extends ServiceAccountClaims {
  readonly audiences: readonly string[];
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

/**
 * Signs and checks the tokens of ServiceAccounts. Nobody but this server has to check them, so that a secret is enough; it lies
 * in the store, and tokens outlive a restart.
 */
export class ServiceAccountTokens {
  readonly #secret: Buffer;

  constructor(secret: Buffer) {
    this.#secret = secret;
  }

  static async open(store: ObjectStore): Promise<ServiceAccountTokens> {
    await store.create(KEY, randomBytes(32));
    const entry = await store.get(KEY);
    if (!entry) throw new Error("the store lost the key of the ServiceAccounts' tokens");
    return new ServiceAccountTokens(entry.value);
  }

  sign({ namespace, name, uid, audiences, issuedAt, expiresAt }: TokenWishes): string {
    const claims = {
      iss: ISSUER,
      sub: `system:serviceaccount:${namespace}:${name}`,
      aud: audiences.length > 0 ? audiences : [ISSUER],
      iat: seconds(issuedAt),
      nbf: seconds(issuedAt),
      exp: seconds(expiresAt),
      "kubernetes.io": { namespace, serviceaccount: { name, uid } },
    };
    const text = `${encoded({ alg: "HS256", typ: "JWT" })}.${encoded(claims)}`;
    return `${text}.${this.#signature(text)}`;
  }

  /** Undefined: it is not ours, or no longer valid. */
  check(token: string, now: Date): ServiceAccountClaims | undefined {
    const [head = "", body = "", signature = ""] = token.split(".");
    if (!isSame(this.#signature(`${head}.${body}`), signature)) return undefined;
    const claims = decoded(body);
    if (numberIn(claims, "exp") <= seconds(now)) return undefined;
    const { aud } = claims;
    if (!Array.isArray(aud) || !aud.includes(ISSUER)) return undefined;
    const own = objectIn(claims, "kubernetes.io");
    const [name, uid] = [textIn(own, "serviceaccount", "name"), textIn(own, "serviceaccount", "uid")];
    return { namespace: textIn(own, "namespace"), name, uid };
  }

  #signature(text: string): string {
    return createHmac("sha256", this.#secret).update(text).digest("base64url");
  }
}

function seconds(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}

function encoded(value: JsonObject): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function decoded(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
