import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TlsRole } from "@etcd-operator/operator/cluster/tls/secret-roles.ts";
import type { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { podsCarry } from "@etcd-operator/testing/scenario/cluster/rolled.ts";
import { conditionOf } from "@etcd-operator/testing/scenario/cluster/settled.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { anAuthority, type CertificateRequest, DAY_MS, type Issued, issue } from "@etcd-operator/testing/tls/issue.ts";
import { dataOf, type Files } from "@etcd-operator/testing/tls/tls-secrets.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { beforeAll, describe, test } from "vitest";

const scenario = clusterScenario();
const NAME = "defects";
const MEMBERS = [`*.${NAME}.default.svc`, `*.${NAME}.default.svc.cluster.local`];
const SERVICE = [`${NAME}-client`, `${NAME}-client.default`, `${NAME}-client.default.svc`, "localhost"];
const SECRETS = { peer: "etcd-peer-tls", server: "etcd-server-tls", operator: "etcd-client-tls" } as const;
const BAD = { peer: "other-peer-tls", server: "other-server-tls", operator: "other-client-tls" } as const;
const NOW_MS = Date.now();
const BOTH = ["serverAuth", "clientAuth"] as const;
const SOUND: Readonly<Record<TlsRole, CertificateRequest>> = {
  peer: { subject: "CN=peer", dnsNames: MEMBERS, usages: BOTH },
  server: { subject: "CN=server", dnsNames: [...MEMBERS, ...SERVICE], usages: BOTH },
  operator: { subject: "CN=operator", usages: ["clientAuth"] },
};

interface Defect {
  readonly what: string;
  readonly role: TlsRole;
  readonly make: () => Promise<Files | undefined>;
  readonly said: RegExp;
}

let ca: Issued;
let sound: Readonly<Record<TlsRole, Files>>;
const withCertificate = (role: TlsRole, request: CertificateRequest) => async () => ({
  ...sound[role],
  ...(await filesOf(role, request)),
});

const DEFECTS: readonly Defect[] = [
  {
    what: "a Secret that is not there",
    role: "peer",
    make: async () => undefined,
    said: /other-peer-tls' does not exist/,
  },
  {
    what: "a key that is not in it",
    role: "server",
    make: async () => ({ ...sound.server, key: undefined }),
    said: /other-server-tls.*server\.key/,
  },
  {
    what: "what is no certificate",
    role: "peer",
    make: async () => ({ ...sound.peer, certificate: "hello" }),
    said: /other-peer-tls.*peer\.crt/,
  },
  {
    what: "a key of another certificate",
    role: "peer",
    make: async () => ({ ...sound.peer, key: (await issue()).key }),
    said: /other-peer-tls.*peer\.key/,
  },
  {
    what: "a certificate of an authority that is not in the bundle",
    role: "server",
    make: async () => withCertificate("server", { by: await anAuthority("CN=stranger", lasting()) })(),
    said: /other-server-tls.*server\.crt/,
  },
  {
    what: "a certificate that has expired",
    role: "operator",
    make: withCertificate("operator", { notBeforeMs: NOW_MS - 2 * DAY_MS, notAfterMs: NOW_MS - DAY_MS }),
    said: /other-client-tls.*etcd-client\.crt.*expired/,
  },
  {
    what: "a certificate that does not name the members",
    role: "peer",
    make: withCertificate("peer", { dnsNames: ["another-cluster.default.svc"] }),
    said: /other-peer-tls.*peer\.crt.*defects/,
  },
  {
    what: "a certificate that does not name the Service",
    role: "server",
    make: withCertificate("server", { dnsNames: MEMBERS }),
    said: /other-server-tls.*server\.crt.*defects-client/,
  },
  {
    what: "a certificate of servers that is not for clients",
    role: "peer",
    make: withCertificate("peer", { usages: ["serverAuth"] }),
    said: /other-peer-tls.*peer\.crt.*clientAuth/,
  },
];

function lasting(): CertificateRequest {
  return { notBeforeMs: NOW_MS - DAY_MS, notAfterMs: NOW_MS + 365 * DAY_MS };
}

async function filesOf(role: TlsRole, request: CertificateRequest = {}): Promise<Files> {
  const { cert, key } = await issue({ ...SOUND[role], ...lasting(), by: ca, ...request });
  return { certificate: cert, key, ca: ca.cert };
}

async function create(name: string, role: TlsRole, files: Files): Promise<void> {
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name }, data: dataOf(role, files) };
  const path = join(scenario.local.stateDir, `${name}.json`);
  await writeFile(path, JSON.stringify(secret));
  await scenario.local.kubectl("apply", "-f", path);
}

/**
 * The spec that names another Secret for a role. etcd reads what is in the present ones at every handshake: those stay
 * sound.
 */
function naming(role: TlsRole, secret: string): object {
  if (role === "operator") return { TLS: { static: { operatorSecret: secret } } };
  return { TLS: { static: { member: { [`${role}Secret`]: secret } } } };
}

describe("certificates that no member can be started with", { timeout: 240_000 }, () => {
  let cluster: ClusterUnderTest;
  let uids: readonly string[];

  beforeAll(async () => {
    ca = await anAuthority("CN=ca", lasting());
    const [peer, server, own] = await Promise.all([filesOf("peer"), filesOf("server"), filesOf("operator")]);
    sound = { peer, server, operator: own };
    for (const role of ["peer", "server", "operator"] as const) await create(SECRETS[role], role, sound[role]);
    cluster = await scenario.create(NAME, { isTls: true, claims: true, whenDeleted: "Delete", version: "3.5.35" });
    const { certificate: cert = "", key = "" } = own;
    cluster.tls = { ca: ca.cert, cert, key };
    await cluster.settled(3);
    uids = await cluster.podUids();
  }, 240_000);

  test.each(DEFECTS)("$what: it is named, and no member is restarted with it", async ({ what, role, make, said }) => {
    const witness = await cluster.witness({ name: what });
    const files = await make();
    if (files) await create(BAD[role], role, files);
    await cluster.changeSpec(naming(role, BAD[role]));
    const seen = await cluster.becomes(
      "to name it",
      (now) => said.test(conditionOf(now, "Degraded")?.message ?? ""),
      90_000,
    );
    process.stdout.write(`  ${conditionOf(seen, "Degraded")?.message}\n`);
    await witness.writesAgain(50);
    assert.deepEqual(await cluster.podUids(), uids);
    await cluster.changeSpec(naming(role, SECRETS[role]));
    await cluster.becomes("to be content", (now) => conditionOf(now, "Degraded")?.status === "False", 90_000);
    assert.deepEqual(await cluster.podUids(), uids);
    if (files) await scenario.local.kubectl("delete", "secret", BAD[role]);
    await cluster.verify(witness);
  });

  test("sound ones under other names reach the members one by one", async () => {
    const witness = await cluster.witness({ name: "sound" });
    await create(BAD.peer, "peer", await filesOf("peer"));
    await create(BAD.server, "server", await filesOf("server"));
    const names = { peerSecret: BAD.peer, serverSecret: BAD.server };
    await cluster.changeSpec({ TLS: { static: { member: names } } });
    const mounts = ({ spec }: Pod) => spec?.volumes?.flatMap(({ secret }) => secret?.secretName ?? []).sort();
    const hasBoth = (pod: Pod) => mounts(pod)?.join() === [BAD.peer, BAD.server].sort().join();
    await podsCarry(cluster, { what: "the new Secrets", size: 3, is: hasBoth });
    await cluster.verify(witness);
    await cluster.delete();
    await cluster.isGone();
  });
});
