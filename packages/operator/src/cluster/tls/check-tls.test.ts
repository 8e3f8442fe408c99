import assert from "node:assert/strict";
import { anEtcdCluster, STATIC_TLS } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import {
  anAuthority,
  type CertificateRequest,
  DAY_MS,
  type Issued,
  issue,
  NOW_MS,
} from "@etcd-operator/testing/tls/issue.ts";
import { SecretsUnderTest, SOUND } from "@etcd-operator/testing/tls/tls-secrets.ts";
import { beforeAll, describe, test } from "vitest";
import { checkTls, type TlsCheck } from "./check-tls.ts";
import { describeFinding, type Finding } from "./finding.ts";
import type { TlsSecrets } from "./parse-secret.ts";
import { TLS_KEYS, TLS_ROLES, type TlsRole } from "./secret-roles.ts";

const MEMBERS = ["example-a.example.prod.svc", "example-b.example.prod.svc"];

describe("the check of the Secrets of TLS", () => {
  let sound: SecretsUnderTest;
  let stranger: Issued;

  beforeAll(async () => {
    [sound, stranger] = await Promise.all([SecretsUnderTest.create(), anAuthority("CN=stranger")]);
  });

  test("finds nothing wrong with sound ones", () => {
    assert.deepEqual(check(sound.with({})), []);
  });

  test("has nothing to say to a cluster without TLS, nor of a role that is not used", () => {
    assert.deepEqual(check({}), []);
    const { peer } = sound.with({});
    assert.deepEqual(check(peer ? { peer } : {}), []);
  });

  test("finds the certificates that the archived operator's script made to be without defects", async () => {
    const dnsNames = ["*.example.prod.svc", "example-client.prod.svc", "localhost"];
    const findings = check(await sound.withCertificate("server", { dnsNames }));
    assert.deepEqual(
      findings.map(({ severity }) => severity),
      ["warning"],
    );
  });

  describe.each(TLS_ROLES)("of the Secret for %s", (role) => {
    const keys = TLS_KEYS[role];

    test("misses the Secret", () => {
      const said = only(check({ ...sound.with({}), [role]: { kind: "missing", name: "gone" } }));
      assert.equal(said.code, "secret-missing");
      assert.equal(said.severity, "defect");
      assert.equal(
        describeFinding(said),
        `Secret 'gone' does not exist: create it with the keys '${keys.certificate}', '${keys.key}' and '${keys.ca}'`,
      );
    });

    test("says when the operator may not read it", () => {
      expectOne(check({ ...sound.with({}), [role]: { kind: "forbidden", name: role } }), {
        ...{ code: "secret-forbidden", severity: "defect", secret: role, key: undefined },
      });
    });

    test.each(["certificate", "key", "ca"] as const)("misses its %s", (file) => {
      for (const text of [undefined, ""]) {
        expectOne(check(sound.with({ [role]: { [file]: text } })), { code: "key-missing", ...at(role, keys[file]) });
      }
    });

    test.each(["certificate", "key", "ca"] as const)("finds its %s not to be PEM", (file) => {
      expectOne(check(sound.with({ [role]: { [file]: "hello" } })), { code: "unusable", ...at(role, keys[file]) });
    });

    test("finds a key of another certificate", async () => {
      const { key } = await issue();
      expectOne(check(sound.with({ [role]: { key } })), { code: "key-mismatch", ...at(role, keys.key) });
    });

    test("says when the certificates are in the wrong order", () => {
      const certificate = `${sound.ca.cert}\n${sound.files(role).certificate}`;
      const said = check(sound.with({ [role]: { certificate } })).find(({ code }) => code === "key-mismatch");
      assert.match(said?.remedy ?? "", /put certificate number 2 .* first/);
    });

    test("finds a certificate that has expired, or has not begun", async () => {
      const expired = await sound.withCertificate(role, { notAfterMs: NOW_MS - 1000 });
      expectOne(check(expired), { code: "expired", ...at(role, keys.certificate) });
      assert.match(only(check(expired)).defect, /expired at 2026-06-15T11:59:59Z$/);
      const early = await sound.withCertificate(role, { notBeforeMs: NOW_MS + 1000 });
      expectOne(check(early), { code: "not-yet-valid", ...at(role, keys.certificate) });
    });

    test("finds a certificate that no authority in the bundle has signed", async () => {
      const findings = check(await sound.withCertificate(role, { by: stranger }));
      assert.deepEqual(
        findings
          .filter(({ severity }) => severity === "defect")
          .map(({ code, secret, key }) => ({ code, secret, key })),
        [{ code: "untrusted", secret: role, key: keys.certificate }],
      );
    });

    test("finds a bundle that is not the certificate of an authority", async () => {
      const { cert: ca } = await issue({ subject: "CN=none" });
      expectOne(check(sound.with({ [role]: { ca } })), { code: "not-a-ca", ...at(role, keys.ca) });
      const { cert: mute } = await anAuthority("CN=mute", { mayNotSign: true });
      expectOne(check(sound.with({ [role]: { ca: mute } })), { code: "not-a-ca", ...at(role, keys.ca) });
    });

    test("warns of a certificate in the bundle that is no authority, beside the one that is", async () => {
      const ca = sound.ca.cert + (await issue({ subject: "CN=none" })).cert;
      expectOne(check(sound.with({ [role]: { ca } })), { code: "not-a-ca", ...at(role, keys.ca), severity: "warning" });
    });

    test("warns of RSA keys below 2048 bits and of SHA-1", async () => {
      for (const request of [{ algorithm: "rsa1024" }, { isSha1: true }] as const) {
        const findings = check(await sound.withCertificate(role, request));
        expectOne(findings, { code: "weak", ...at(role, keys.certificate), severity: "warning" });
      }
    });

    test.each([
      [30.01, undefined],
      [30, 30],
      [7.01, 30],
      [7, 7],
      [1.01, 7],
      [1, 1],
      [0, 1],
    ])("warns of an end in %d days once, by the nearest of 30, 7 and 1", async (days, withinDays) => {
      const notAfterMs = NOW_MS + Math.floor(days * 86_400) * 1000;
      const findings = check(await sound.withCertificate(role, { notAfterMs }));
      if (withinDays === undefined) return assert.deepEqual(findings, []);
      expectOne(findings, { code: "expires-soon", ...at(role, keys.certificate), severity: "warning" });
      return assert.equal(only(findings).withinDays, withinDays);
    });
  });

  test("finds an authority that has expired, or has not begun", async () => {
    const expired = await anAuthority("CN=ca", { notAfterMs: NOW_MS - 1000 });
    const old = await SecretsUnderTest.create(expired);
    expectDefects(
      check(old.with({})),
      "expired",
      TLS_ROLES.map((each) => at(each, TLS_KEYS[each].ca)),
    );
    const early = await SecretsUnderTest.create(await anAuthority("CN=ca", { notBeforeMs: NOW_MS + 1000 }));
    expectDefects(
      check(early.with({})),
      "not-yet-valid",
      TLS_ROLES.map((each) => at(each, TLS_KEYS[each].ca)),
    );
  });

  test("warns of the end of an authority, of the one that will be missed and not of one that has a successor", async () => {
    const ending = await SecretsUnderTest.create(await anAuthority("CN=ca", { notAfterMs: NOW_MS + 5 * DAY_MS }));
    const findings = check(ending.with({}));
    assert.deepEqual(
      findings.map(({ code, secret, key, withinDays }) => ({ code, secret, key, withinDays })).sort(bySecret),
      [
        { code: "expires-soon", secret: "operator", key: "etcd-client-ca.crt", withinDays: 7 },
        { code: "expires-soon", secret: "peer", key: "peer-ca.crt", withinDays: 7 },
        { code: "expires-soon", secret: "server", key: "server-ca.crt", withinDays: 7 },
      ],
    );
    const renewed = await anAuthority("CN=ca", { keys: ending.ca.keys });
    assert.deepEqual(check(ending.withBundle(ending.ca, renewed)), []);
  });

  test("warns of an expired authority in a bundle that is not needed", async () => {
    const past = await anAuthority("CN=past", { notAfterMs: NOW_MS - DAY_MS });
    const findings = check(sound.withBundle(past, sound.ca));
    assert.equal(findings.length, 3);
    for (const finding of findings) {
      assert.equal(finding.severity, "warning");
      assert.match(describeFinding(finding), /'CN=past', which expired .*: remove it from the bundle/);
    }
  });

  test("takes a certificate with the authorities between it and the root, and misses them when they are left out", async () => {
    const between = await anAuthority("CN=between", { by: sound.ca });
    const { cert, key } = await issue({ ...SOUND.peer, by: between });
    assert.deepEqual(check(sound.with({ peer: { certificate: cert + between.cert, key } })), []);
    expectOne(check(sound.with({ peer: { certificate: cert, key } })), {
      code: "untrusted",
      ...at("peer", "peer.crt"),
    });
  });

  test("finds an authority between that has expired where it is: beside the certificate", async () => {
    const between = await anAuthority("CN=between", { by: sound.ca, notAfterMs: NOW_MS - 1000 });
    const { cert, key } = await issue({ ...SOUND.peer, by: between });
    const findings = check(sound.with({ peer: { certificate: cert + between.cert, key } }));
    expectOne(findings, { code: "expired", ...at("peer", "peer.crt") });
  });

  test("takes one self-signed certificate for all members and clients, with a warning: etcd does, too", async () => {
    const alone = await issue({ ...SOUND.peer, subject: "CN=alone" });
    const findings = check(sound.with({ peer: { certificate: alone.cert, key: alone.key, ca: alone.cert } }));
    expectOne(findings, { code: "not-a-ca", ...at("peer", "peer-ca.crt"), severity: "warning" });
  });

  describe("of the usages", () => {
    test.each<[TlsRole, CertificateRequest["usages"], RegExp]>([
      ["peer", ["serverAuth"], /may not be used for clientAuth$/],
      ["peer", ["clientAuth"], /may not be used for serverAuth$/],
      ["server", ["serverAuth"], /may not be used for clientAuth$/],
      ["server", ["clientAuth"], /may not be used for serverAuth$/],
      ["operator", ["serverAuth"], /may not be used for clientAuth$/],
      ["peer", ["codeSigning"], /may not be used for serverAuth and clientAuth$/],
    ])("of %s finds those that %s lacks", async (role, usages, said) => {
      const findings = check(await sound.withCertificate(role, usages ? { usages } : {}));
      expectOne(findings, { code: "usage", ...at(role, TLS_KEYS[role].certificate) });
      assert.match(only(findings).defect, said);
    });

    test("takes a certificate without any for one that may be used for anything", async () => {
      const { cert, key } = await issue({ subject: "CN=peer", dnsNames: SOUND.peer.dnsNames ?? [], by: sound.ca });
      assert.deepEqual(check(sound.with({ peer: { certificate: cert, key } })), []);
    });

    test("finds an authority that may not sign for them", async () => {
      const limited = await SecretsUnderTest.create(await anAuthority("CN=limited", { usages: ["serverAuth"] }));
      const defects = check(limited.with({})).filter(({ severity }) => severity === "defect");
      assert.deepEqual(
        defects.map(({ code, secret, key }) => ({ code, secret, key })),
        [
          { code: "usage", secret: "peer", key: "peer-ca.crt" },
          { code: "usage", secret: "server", key: "server-ca.crt" },
        ],
      );
    });
  });

  describe("of operator and members", () => {
    test("takes an authority for the servers and another for their clients, and warns that the gateway minds", async () => {
      const server = await issue({ ...SOUND.server, by: stranger });
      const findings = check(
        sound.with({
          server: { certificate: server.cert, key: server.key },
          operator: { ca: stranger.cert },
        }),
      );
      expectOne(findings, { code: "untrusted", ...at("server", "server.crt"), severity: "warning" });
      assert.match(only(findings).defect, /no authority in 'server-ca.crt' has signed, so etcd's JSON gateway/);
    });

    test("finds an operator that the members refuse", async () => {
      const findings = check(sound.with({ server: { ca: stranger.cert } }));
      const [defect] = findings.filter(({ severity }) => severity === "defect");
      assert.equal(defect?.secret, "operator");
      assert.match(
        defect?.defect ?? "",
        /^holds 'CN=operator', which no authority in 'server-ca.crt' of Secret 'server' has signed, so members refuse/,
      );
    });

    test("finds members that the operator refuses", () => {
      const findings = check(sound.with({ operator: { ca: stranger.cert } }));
      expectOne(findings, { code: "untrusted", ...at("server", "server.crt") });
      assert.match(
        only(findings).defect,
        /'etcd-client-ca.crt' of Secret 'operator' .* the operator refuses the members$/,
      );
    });
  });

  function check(secrets: TlsSecrets, change: Partial<TlsCheck> = {}): readonly Finding[] {
    const cluster = anEtcdCluster({ TLS: STATIC_TLS });
    return checkTls({ cluster, secrets, nowMs: NOW_MS, members: MEMBERS, ...change });
  }
});

function at(secret: TlsRole, key: string) {
  return { severity: "defect", secret, key } as const;
}

function only(findings: readonly Finding[]): Finding {
  const [finding] = findings;
  assert.ok(finding && findings.length === 1, `one finding, not:\n${findings.map(describeFinding).join("\n")}`);
  return finding;
}

function expectOne(findings: readonly Finding[], expected: Partial<Finding>): void {
  const { code, severity, secret, key } = only(findings);
  assert.deepEqual({ code, severity, secret, key }, expected);
}

function expectDefects(findings: readonly Finding[], code: string, places: readonly object[]): void {
  const defects = findings.filter((finding) => finding.severity === "defect" && finding.code === code);
  assert.deepEqual(
    defects.map(({ severity, secret, key }) => ({ severity, secret, key })).sort(bySecret),
    [...places].sort((a, b) => bySecret(a as Finding, b as Finding)),
  );
}

function bySecret(a: { secret: string }, b: { secret: string }): number {
  return a.secret < b.secret ? -1 : 1;
}
