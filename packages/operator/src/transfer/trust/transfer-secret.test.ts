import { X509Certificate } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSecureContext } from "node:tls";
import { connectEtcd } from "@etcd-operator/etcd-client";
import { etcdBinaries } from "@etcd-operator/local-kubernetes";
import { ObjectStoreError } from "@etcd-operator/object-store";
import { MemberUnderTest } from "@etcd-operator/testing/etcd/member-under-test.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { describe, expect, onTestFinished, test } from "vitest";
import { endpointOf, makeTransferSecret } from "./transfer-secret.ts";

const pod = { metadata: { namespace: "prod", name: "example-a", uid: "uid-of-the-pod" } };

describe("the Secret of a pod", () => {
  test("is deleted with the pod, and cannot be changed", async () => {
    expect(await makeTransferSecret(pod)).toMatchObject({
      metadata: {
        namespace: "prod",
        name: "example-a-transfer",
        ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "example-a", uid: "uid-of-the-pod" }],
      },
      immutable: true,
    });
  });

  test("holds a key, a certificate of it for the pod's name, and a token, which are never the same twice", async () => {
    const [one, two] = [await filesOf(), await filesOf()];
    createSecureContext({ cert: one["tls.crt"], key: one["tls.key"] });
    const certificate = new X509Certificate(one["tls.crt"] ?? "");
    expect(certificate.subjectAltName).toBe("DNS:example-a");
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.ca).toBe(false);
    expect(one.token).toMatch(/^[0-9a-f]{64}$/);
    for (const file of ["tls.crt", "tls.key", "token"]) expect(one[file]).not.toBe(two[file]);
  });

  test("is valid from a while ago, for clocks differ, and for longer than the pod lives", async () => {
    const nowMs = Date.UTC(2030, 0, 15);
    const { data = {} } = await makeTransferSecret(pod, nowMs);
    const certificate = new X509Certificate(Buffer.from(data["tls.crt"] ?? "", "base64"));
    expect(Date.parse(certificate.validFrom)).toBe(Date.UTC(2030, 0, 14));
    expect(Date.parse(certificate.validTo)).toBeGreaterThan(Date.UTC(2035, 0, 1));
  });

  test("is enough for an etcd that accepts no other client", { timeout: 900_000 }, async () => {
    const files = await filesOf();
    const dir = await mkdtemp(join(tmpdir(), "transfer-secret-"));
    onTestFinished(() => rm(dir, { recursive: true, force: true }));
    const [cert, key] = [join(dir, "tls.crt"), join(dir, "tls.key")];
    await writeFile(cert, files["tls.crt"] ?? "");
    await writeFile(key, files["tls.key"] ?? "");
    const flags = ["--cert-file", cert, "--key-file", key, "--client-cert-auth", "--trusted-ca-file", cert];
    const { etcd } = await etcdBinaries("3.5.30");
    const member = await MemberUnderTest.create({ binary: etcd, dir, name: "a", scheme: "https", flags });
    onTestFinished(() => member.stop());
    member.start();
    const trust = { ca: files["tls.crt"] ?? "" };
    const ours = { ...trust, cert: files["tls.crt"] ?? "", key: files["tls.key"] ?? "" };
    const [client, stranger] = [ours, trust].map((tls) =>
      connectEtcd({ address: member.address, tls, serverName: "example-a" }),
    );
    onTestFinished(() => [client, stranger].forEach((each) => void each?.close()));
    await until(async () => (await client?.status())?.version === "3.5.30", { what: "an answer" });
    await expect(stranger?.status({ timeoutMs: 5_000 })).rejects.toThrow();
  });
});

describe("an endpoint", () => {
  test.each([
    ["10.0.0.7", "10.0.0.7:2382"],
    ["fd00::7", "[fd00::7]:2382"],
  ])("at %s", async (podIp, address) => {
    const files = await filesOf();
    const secret = { data: Object.fromEntries(Object.entries(files).map(([file, text]) => [file, base64(text)])) };
    expect(endpointOf(secret, podIp)).toEqual({ address, certificate: files["tls.crt"], token: files.token });
  });

  test("needs a Secret that is complete", () => {
    const secret = { metadata: { name: "example-a-transfer" }, data: { "tls.crt": base64("certificate") } };
    const error = thrownBy(() => endpointOf(secret, "10.0.0.7"));
    expect(error).toMatchObject({ code: "bad-credentials", message: expect.stringContaining("'token'") });
  });
});

async function filesOf(): Promise<Record<string, string>> {
  const { data = {} } = await makeTransferSecret(pod);
  return Object.fromEntries(Object.entries(data).map(([file, text]) => [file, Buffer.from(text, "base64").toString()]));
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

function thrownBy(run: () => unknown): ObjectStoreError {
  try {
    run();
  } catch (error) {
    if (error instanceof ObjectStoreError) return error;
  }
  throw new Error("expected an ObjectStoreError");
}
