import { createAuthority, issueCertificate, type KeyPair } from "@etcd-operator/local-kubernetes/pki.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { secureContextOf } from "./secure-context.ts";

describe("what TLS makes of credentials", () => {
  let ca: string;
  let pair: KeyPair;

  beforeAll(async () => {
    const authority = await createAuthority("CN=ca", 3_600_000);
    ca = authority.cert;
    pair = await issueCertificate(authority, { subject: "CN=client", usage: "client" }, 3_600_000);
  });

  test("is the same for all who show the same ones", () => {
    const tls = { ca, cert: pair.cert, key: pair.key };
    const first = secureContextOf(tls);
    expect(secureContextOf(tls)).toBe(first);
  });

  test("is not shared with others, however alike", () => {
    const tls = { ca, cert: pair.cert, key: pair.key };
    expect(secureContextOf({ ...tls })).not.toBe(secureContextOf(tls));
  });

  test("is nothing when key and certificate do not belong together, each time", async () => {
    const other = await issueCertificate(
      await createAuthority("CN=other", 3_600_000),
      { subject: "CN=client", usage: "client" },
      3_600_000,
    );
    const tls = { ca, cert: pair.cert, key: other.key };
    for (const _ of [1, 2]) expect(() => secureContextOf(tls)).toThrow(/key values mismatch/);
  });
});
