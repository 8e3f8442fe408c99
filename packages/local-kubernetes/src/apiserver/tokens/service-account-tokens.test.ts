import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { describe, test } from "vitest";
import { ServiceAccountTokens } from "./service-account-tokens.ts";
import { SigningKey } from "./signing-key.ts";

const issuedAt = new Date("2030-01-01T00:00:00Z");
const expiresAt = new Date("2030-01-01T01:00:00Z");
const account = { namespace: "ns", name: "robot", uid: "u1", audiences: ["api"], issuedAt, expiresAt };

const secondsFrom = (time: Date, seconds: number) => new Date(time.getTime() + seconds * 1000);

const someTokens = () =>
  new ServiceAccountTokens(new SigningKey(generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey));

describe("a token", () => {
  test("tells whose it is, for whom, and what it is bound to", () => {
    const tokens = someTokens();
    const bound = [{ kind: "pod", name: "p", uid: "u2" } as const];
    const { id, ...claims } = tokens.check(tokens.sign({ ...account, bound }), issuedAt) ?? { id: "" };
    assert.match(id, /^[0-9a-f-]{36}$/);
    assert.deepEqual(claims, {
      namespace: "ns",
      name: "robot",
      uid: "u1",
      audiences: ["api"],
      expiresAtSeconds: expiresAt.getTime() / 1000,
      notBeforeSeconds: issuedAt.getTime() / 1000,
      bound,
    });
  });

  test("is worth nothing a minute after it has expired, also when it was good before", () => {
    const tokens = someTokens();
    const token = tokens.sign(account);
    assert.ok(tokens.check(token, secondsFrom(expiresAt, 60)));
    assert.equal(tokens.check(token, secondsFrom(expiresAt, 61)), undefined);
  });

  test("is good although the clock was set back since, by a minute at most", () => {
    const tokens = someTokens();
    const token = tokens.sign(account);
    assert.ok(tokens.check(token, secondsFrom(issuedAt, -60)));
    assert.equal(tokens.check(token, secondsFrom(issuedAt, -61)), undefined);
  });

  test("of another server, or changed, is worth nothing", () => {
    const tokens = someTokens();
    const [head, body, signature] = tokens.sign(account).split(".");
    const forged = Buffer.from(`${Buffer.from(body ?? "", "base64url")}`.replace("robot", "admin")).toString(
      "base64url",
    );
    for (const token of [
      "",
      "x",
      "a.b.c",
      `${head}.${forged}.${signature}`,
      `${head}.${body}`,
      someTokens().sign(account),
    ]) {
      assert.equal(tokens.check(token, issuedAt), undefined, token);
    }
  });

  test("can be checked by anybody with the published key", () => {
    const tokens = someTokens();
    const [head, body, signature = ""] = tokens.sign(account).split(".");
    const key = createPublicKey({ key: { ...tokens.key.published }, format: "jwk" });
    const text = Buffer.from(`${head}.${body}`);
    assert.ok(verify("sha256", text, { key, dsaEncoding: "ieee-p1363" }, Buffer.from(signature, "base64url")));
  });
});
