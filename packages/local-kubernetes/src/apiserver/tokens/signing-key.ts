import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";
import type { ObjectStore } from "../storage/object-store.ts";

const STORED_AT = "/local/service-account-signing-key";
const ALGORITHM = "ES256";

/**
 * Signs tokens, and tells others with which key to check them. It lies in the store, so that tokens outlive a restart.
 */
export class SigningKey {
  readonly #private: KeyObject;
  readonly #public: KeyObject;
  readonly #id: string;

  constructor(key: KeyObject) {
    this.#private = key;
    this.#public = createPublicKey(key);
    const bytes = this.#public.export({ type: "spki", format: "der" });
    this.#id = createHash("sha256").update(bytes).digest("base64url");
  }

  static async open(store: ObjectStore): Promise<SigningKey> {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    await store.create(STORED_AT, Buffer.from(privateKey.export({ type: "pkcs8", format: "pem" })));
    const entry = await store.get(STORED_AT);
    if (!entry) throw new Error("the store lost the key of the ServiceAccounts' tokens");
    return new SigningKey(createPrivateKey(entry.value));
  }

  /** A JSON Web Token with these claims. */
  sign(claims: object): string {
    const text = `${encoded({ alg: ALGORITHM, kid: this.#id })}.${encoded(claims)}`;
    const signature = sign("sha256", Buffer.from(text), { key: this.#private, dsaEncoding: "ieee-p1363" });
    return `${text}.${signature.toString("base64url")}`;
  }

  /** Whether the token was signed with this key. */
  isOurs(token: string): boolean {
    const [head = "", body = "", signature = ""] = token.split(".");
    const bytes = Buffer.from(signature, "base64url");
    if (signature === "" || bytes.toString("base64url") !== signature) return false;
    return verify("sha256", Buffer.from(`${head}.${body}`), { key: this.#public, dsaEncoding: "ieee-p1363" }, bytes);
  }

  /** What /openid/v1/jwks tells. */
  get published(): JsonWebKey {
    const { kty = "", crv = "", x = "", y = "" } = this.#public.export({ format: "jwk" });
    return { use: "sig", kty, kid: this.#id, crv, alg: ALGORITHM, x, y };
  }
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
