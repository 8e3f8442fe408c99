import assert from "node:assert/strict";
import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { inspect } from "node:util";
import { anAuthority, type Issued, issue } from "@etcd-operator/testing/tls/issue.ts";
import { aSecret, dataOf } from "@etcd-operator/testing/tls/tls-secrets.ts";
import { beforeAll, describe, test } from "vitest";
import { type KeySeen, parseSecret, type SecretFiles } from "./parse-secret.ts";

describe("the files of a Secret", () => {
  let ca: Issued;
  let leaf: Issued;
  let rsa: Issued;

  beforeAll(async () => {
    ca = await anAuthority();
    [leaf, rsa] = await Promise.all([issue({ by: ca }), issue({ by: ca, algorithm: "rsa2048" })]);
  });

  test("are parsed, and the key is found to belong to the certificate", () => {
    const { certificate, key, ca: bundle } = files({});
    assert.equal(certificate.kind, "usable");
    assert.deepEqual(key, { kind: "usable", matches: 0 });
    assert.equal(bundle.kind === "usable" && bundle.certificates.length, 1);
  });

  test("that are the same authority's are taken apart once, others' by themselves", async () => {
    const certificatesIn = (text: string) => {
      const { ca: bundle } = files({ ca: text });
      return bundle.kind === "usable" ? bundle.certificates : [];
    };
    const [once] = certificatesIn(ca.cert);
    assert.ok(once);
    assert.equal(certificatesIn(ca.cert)[0], once);
    const [other] = certificatesIn((await anAuthority()).cert);
    assert.notEqual(other?.digest, once.digest);
  });

  test("nothing of the key is kept", () => {
    const parsed = parseSecret("peer", "peer", dataOf("peer", { certificate: leaf.cert, key: leaf.key, ca: ca.cert }));
    const text = inspect(parsed, { depth: 10 }) + JSON.stringify(parsed);
    const secretLine = leaf.key.split("\n")[2] ?? "";
    assert.ok(secretLine.length > 20);
    assert.ok(!text.includes(secretLine) && !text.includes("PRIVATE"));
  });

  test.each<[string, string | undefined]>([
    ["absent", undefined],
    ["empty", ""],
    ["blank", " \n"],
  ])("that are %s are missing", (_, text) => {
    const { certificate, key, ca: bundle } = files({ certificate: text, key: text, ca: text });
    assert.deepEqual([certificate.kind, key.kind, bundle.kind], ["missing", "missing", "missing"]);
  });

  test("may hold text between the certificates, as openssl writes it, and Windows' line ends", () => {
    const text = `Subject: CN=leaf\n${leaf.cert}\nbetween\n${ca.cert}`.replaceAll("\n", "\r\n");
    const { certificate } = files({ certificate: text });
    assert.equal(certificate.kind === "usable" && certificate.certificates.length, 2);
  });

  test.each<[string, string, RegExp]>([
    ["text", "hello", /holds no certificate in PEM/],
    ["DER", "0\u0082\u0001", /holds no certificate in PEM/],
    [
      "a broken certificate",
      "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
      /\(number 1, CERTIFICATE\)/,
    ],
  ])("%s is no certificate", (_, text, said) => {
    const { certificate, ca: bundle } = files({ certificate: text, ca: text });
    for (const seen of [certificate, bundle]) assert.match(seen.kind === "unusable" ? seen.why : "", said);
  });

  test("a key beside the certificate is passed over, but not in a bundle: etcd would not start", () => {
    const { certificate, ca: bundle } = files({ certificate: leaf.key + leaf.cert, ca: ca.cert + leaf.key });
    assert.equal(certificate.kind, "usable");
    assert.match(bundle.kind === "unusable" ? bundle.why : "", /not a certificate \(number 2, PRIVATE KEY\)/);
  });

  describe("the key", () => {
    test("may be PKCS #8, SEC 1 or PKCS #1", () => {
      const sec1 = createPrivateKey(leaf.key).export({ type: "sec1", format: "pem" }).toString();
      const pkcs1 = createPrivateKey(rsa.key).export({ type: "pkcs1", format: "pem" }).toString();
      assert.deepEqual(keyOf(leaf.cert, sec1), { kind: "usable", matches: 0 });
      assert.deepEqual(keyOf(rsa.cert, pkcs1), { kind: "usable", matches: 0 });
      assert.deepEqual(keyOf(rsa.cert, rsa.key), { kind: "usable", matches: 0 });
    });

    test("may come after its parameters, as openssl ecparam writes them", () => {
      const parameters = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n";
      assert.deepEqual(keyOf(leaf.cert, parameters + leaf.key), { kind: "usable", matches: 0 });
    });

    test("may be Ed25519", async () => {
      const { cert, key } = await issue({ by: ca, algorithm: "ed25519" });
      assert.deepEqual(keyOf(cert, key), { kind: "usable", matches: 0 });
    });

    test("belongs to a later certificate, or to none", () => {
      assert.deepEqual(keyOf(ca.cert + leaf.cert, leaf.key), { kind: "usable", matches: 1 });
      assert.deepEqual(keyOf(leaf.cert, rsa.key), { kind: "usable", matches: -1 });
    });

    test.each(["pkcs8", "pkcs1"] as const)("may not be encrypted (%s)", (type) => {
      const cipher = { cipher: "aes-128-cbc", passphrase: "x" };
      const key = createPrivateKey(rsa.key)
        .export({ type, format: "pem", ...cipher })
        .toString();
      assert.match(whyOf(keyOf(rsa.cert, key)), /is encrypted/);
    });

    test.each([
      ["ec", { namedCurve: "secp256k1" }, /cannot use \(secp256k1\)/],
      ["ed448", {}, /cannot use \(ed448\)/],
    ] as const)("may not be of a kind that Go does not know (%s)", (type, options, said) => {
      // The overloads of generateKeyPairSync want one literal at a time.
      const { privateKey } = generateKeyPairSync(type as "ec", options as { namedCurve: string });
      assert.match(whyOf(keyOf(leaf.cert, privateKey.export({ type: "pkcs8", format: "pem" }).toString())), said);
    });

    test.each([
      ["text", "hello", /holds no private key in PEM/],
      ["a public key", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----", /holds no private key/],
      ["nonsense", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----", /cannot be parsed/],
    ])("is not %s", (_, text, said) => {
      assert.match(whyOf(keyOf(leaf.cert, text)), said);
    });
  });

  function files(change: object): SecretFiles {
    const parsed = aSecret("peer", { certificate: leaf.cert, key: leaf.key, ca: ca.cert, ...change });
    assert.ok(parsed.kind === "present");
    return parsed;
  }

  function keyOf(certificate: string, key: string): KeySeen {
    return files({ certificate, key }).key;
  }
});

function whyOf(seen: KeySeen): string {
  return seen.kind === "unusable" ? seen.why : "";
}
