import { randomUUID } from "node:crypto";
import { isObject, type JsonObject, numberIn, objectIn, textIn } from "../kube-object.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { SigningKey } from "./signing-key.ts";

export const ISSUER = "https://kubernetes.default.svc.cluster.local";

/** An object together with which a token loses its worth. */
export interface BoundObject {
  readonly kind: "pod" | "secret" | "node";
  readonly name: string;
  readonly uid: string;
}

/** Whose token it is, and for whom. */
export interface TokenClaims {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly id: string;
  readonly audiences: readonly string[];
  readonly expiresAtSeconds: number;
  readonly notBeforeSeconds: number;
  readonly bound: readonly BoundObject[];
}

export interface TokenWishes extends Pick<TokenClaims, "namespace" | "name" | "uid" | "audiences"> {
  readonly issuedAt: Date;
  readonly expiresAt: Date;
  /** When a client that still uses it is late with reading its successor. */
  readonly warnAfter?: Date;
  readonly bound?: readonly BoundObject[];
}

// Nearly every request brings a token that came before.
const REMEMBERED = 1000;
// Clocks differ, and are set.
const LEEWAY_SECONDS = 60;

/** Signs and checks the tokens of ServiceAccounts. */
export class ServiceAccountTokens {
  readonly key: SigningKey;
  readonly #checked = new Map<string, TokenClaims>();

  constructor(key: SigningKey) {
    this.key = key;
  }

  static async open(store: ObjectStore): Promise<ServiceAccountTokens> {
    return new ServiceAccountTokens(await SigningKey.open(store));
  }

  sign({ namespace, name, uid, audiences, issuedAt, expiresAt, warnAfter, bound = [] }: TokenWishes): string {
    const own = {
      namespace,
      ...Object.fromEntries(bound.map((each) => [each.kind, { name: each.name, uid: each.uid }])),
      serviceaccount: { name, uid },
      ...(warnAfter && { warnafter: seconds(warnAfter) }),
    };
    return this.key.sign({
      aud: audiences,
      exp: seconds(expiresAt),
      iat: seconds(issuedAt),
      iss: ISSUER,
      jti: randomUUID(),
      "kubernetes.io": own,
      nbf: seconds(issuedAt),
      sub: `system:serviceaccount:${namespace}:${name}`,
    });
  }

  /** Undefined: it is not ours, or it is not valid now. */
  check(token: string, now: Date): TokenClaims | undefined {
    const claims = this.#checked.get(token) ?? this.#read(token);
    if (!claims) return undefined;
    const at = seconds(now);
    const isOver = at - LEEWAY_SECONDS > claims.expiresAtSeconds;
    return isOver || at + LEEWAY_SECONDS < claims.notBeforeSeconds ? undefined : claims;
  }

  #read(token: string): TokenClaims | undefined {
    if (!this.key.isOurs(token)) return undefined;
    const claims = claimsOf(decoded(token.split(".")[1] ?? ""));
    const [oldest] = this.#checked.keys();
    if (this.#checked.size >= REMEMBERED && oldest !== undefined) this.#checked.delete(oldest);
    this.#checked.set(token, claims);
    return claims;
  }
}

function claimsOf(claims: JsonObject): TokenClaims {
  const own = objectIn(claims, "kubernetes.io");
  const kinds = ["pod", "secret", "node"] as const;
  return {
    namespace: textIn(own, "namespace"),
    name: textIn(own, "serviceaccount", "name"),
    uid: textIn(own, "serviceaccount", "uid"),
    id: textIn(claims, "jti"),
    audiences: Array.isArray(claims.aud) ? (claims.aud as string[]) : [],
    expiresAtSeconds: numberIn(claims, "exp"),
    notBeforeSeconds: numberIn(claims, "nbf"),
    bound: kinds.flatMap((kind) => {
      const found = objectIn(own, kind);
      return isObject(own[kind]) ? [{ kind, name: textIn(found, "name"), uid: textIn(found, "uid") }] : [];
    }),
  };
}

function seconds(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}

function decoded(text: string): JsonObject {
  const value: unknown = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
  return isObject(value) ? value : {};
}
