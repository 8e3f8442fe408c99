import "reflect-metadata";
import { webcrypto } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errorOf } from "@etcd-operator/testing/etcd/error-of.ts";
import { MemberUnderTest } from "@etcd-operator/testing/etcd/member-under-test.ts";
import { type EtcdProcess, startEtcd } from "@etcd-operator/testing/etcd-process.ts";
import { anAuthority } from "@etcd-operator/testing/tls/issue.ts";
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Endpoint, EndpointTls } from "./endpoint.ts";
import { connectEtcd, type EtcdClient } from "./etcd-client.ts";

const DNS_NAME = "m-0.example.ns.svc";
const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

// etcd is dialled at 127.0.0.1, which its certificate does not name: only the DNS name makes it trusted.
describe("a client of an etcd that wants certificates", () => {
  let plain: EtcdProcess;
  let dir: string;
  let member: MemberUnderTest;
  let ca: Issued;
  let ours: Issued;
  const clients: EtcdClient[] = [];

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "etcd-tls-"));
    plain = await startEtcd({ version: "3.5.16" });
    ca = await issue("ca");
    ours = await issue("client", ca);
    const server = await issue("server", ca);
    const file = async (name: string, text: string) => {
      await writeFile(join(dir, name), text);
      return join(dir, name);
    };
    const flags = [
      ...["--cert-file", await file("server.crt", server.cert), "--key-file", await file("server.key", server.key)],
      ...["--trusted-ca-file", await file("ca.crt", ca.cert), "--client-cert-auth"],
    ];
    const options = { binary: plain.binaries.etcd, dir, name: "m", scheme: "https", flags } as const;
    member = await MemberUnderTest.create(options);
    member.start();
    await vi.waitFor(() => clientWith({}).status(), { timeout: 30_000 });
  });
  afterAll(async () => {
    for (const client of clients) client.close();
    await Promise.all([member?.stop(), plain?.stop()]);
    await rm(dir, { recursive: true, force: true });
  });

  test("gets in with its certificate, by IP, when the certificate has the expected name", async () => {
    const client = clientWith({});
    await client.put({ key: "k", value: "v" });
    expect((await client.range({ key: "k" })).count).toBe(1);
    expect(await client.clusterVersion()).toBe("3.5.0");
  });

  test("accepts PEM as bytes, too", async () => {
    const bytes = { ca: Buffer.from(ca.cert), cert: Buffer.from(ours.cert), key: Buffer.from(ours.key) };
    expect((await clientWith(bytes).status()).version).toBe("3.5.16");
  });

  test("refuses a server with another name", async () => {
    const client = clientWith({}, { serverName: "m-1.example.ns.svc" });
    expect((await errorOf(client.status())).code).toBe("tls");
  });

  test("refuses a server of another authority", async () => {
    const client = clientWith({ ca: (await issue("other-ca")).cert });
    expect((await errorOf(client.status())).code).toBe("tls");
  });

  test("tells servers apart by their names also where it trusts both by the same authority", async () => {
    const tls = { ca: ca.cert, cert: ours.cert, key: ours.key };
    const [known, other] = [DNS_NAME, "m-1.example.ns.svc"].map((serverName) => clientOf({ tls, serverName }));
    expect((await known?.status())?.version).toBe("3.5.16");
    expect((await errorOf(other?.status() ?? Promise.resolve())).code).toBe("tls");
    expect(await known?.clusterVersion()).toBe("3.5.0");
    expect((await errorOf(other?.clusterVersion() ?? Promise.resolve())).code).toBe("tls");
  });

  test("refuses the bare IP when no name is given", async () => {
    const client = clientOf({ tls: { ca: ca.cert, cert: ours.cert, key: ours.key } });
    const error = await errorOf(client.status());
    expect(error.code).toBe("tls");
    expect(error.message).toContain("127.0.0.1");
  });

  test("is refused by the server without a certificate, or with a stranger's", async () => {
    const stranger = await issue("client", await issue("other-ca"));
    for (const tls of [{ ca: ca.cert }, { cert: stranger.cert, key: stranger.key, ca: ca.cert }]) {
      const client = clientOf({ tls, serverName: DNS_NAME });
      expect((await errorOf(client.status())).code).toBe("tls");
    }
  });

  test("trusts an authority that another one signed as it stands, as Go does", async () => {
    const valid = { notBeforeMs: Date.now() - 60_000, notAfterMs: Date.now() + 3_600_000 };
    const root = await anAuthority("CN=root", valid);
    const below = await anAuthority(ca.certificate.subject, { ...valid, by: root, keys: ca.keys });
    expect((await clientWith({ ca: below.cert }).status()).version).toBe("3.5.16");
  });

  test("says so when it speaks plain HTTP to a TLS port", async () => {
    const client = clientOf({});
    expect((await errorOf(client.status())).code).toBe("unavailable");
  });

  function clientWith(change: Partial<EndpointTls>, { serverName = DNS_NAME } = {}): EtcdClient {
    return clientOf({ tls: { ca: ca.cert, cert: ours.cert, key: ours.key, ...change }, serverName });
  }

  function clientOf(endpoint: Omit<Endpoint, "address">): EtcdClient {
    const client = connectEtcd({ address: member.address, ...endpoint });
    clients.push(client);
    return client;
  }
});

interface Issued {
  readonly cert: string;
  readonly key: string;
  readonly keys: webcrypto.CryptoKeyPair;
  readonly certificate: X509Certificate;
}

/** A certificate that its issuer signed, or, without one, an authority of its own. */
async function issue(name: string, issuer?: Issued): Promise<Issued> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const common = {
    signingAlgorithm: ALGORITHM,
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 3_600_000),
  };
  const certificate = issuer
    ? await X509CertificateGenerator.create({
        ...common,
        subject: `CN=${name}`,
        issuer: issuer.certificate.subject,
        publicKey: keys.publicKey,
        signingKey: issuer.keys.privateKey,
        extensions: [
          new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth]),
          new SubjectAlternativeNameExtension([{ type: "dns", value: DNS_NAME }]),
        ],
      })
    : await X509CertificateGenerator.createSelfSigned({
        ...common,
        name: `CN=${name}`,
        keys,
        extensions: [new BasicConstraintsExtension(true, 0, true)],
      });
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey)).toString("base64");
  const key = `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n`;
  return { cert: certificate.toString("pem"), key, keys, certificate };
}
