import assert from "node:assert/strict";
import { connectEtcd } from "@etcd-operator/etcd-client";
import { Certificates } from "@etcd-operator/testing/scenario/cluster/certificates.ts";
import type { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { conditionOf } from "@etcd-operator/testing/scenario/cluster/settled.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { staysSo } from "@etcd-operator/testing/scenario/stays-so.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { describe, test } from "vitest";

const scenario = clusterScenario();
const VERSIONS = ["3.3.25", "3.4.23", "3.5.35", "3.6.16", "3.7.3"];
// The operator reads Secrets once a minute, and restarts members one by one.
const A_LOOK_MS = 150_000;

/** A Secret is read once a minute; so is what the kubelet brings to the pods. */
async function isReplaced(cluster: ClusterUnderTest, uids: readonly string[], size: number): Promise<void> {
  const areAllNew = async () => !(await cluster.podUids()).some((uid) => uids.includes(uid));
  await until(areAllNew, { what: `the pods of ${cluster.name} to be new ones`, timeoutMs: 2 * A_LOOK_MS });
  await cluster.settled(size);
}

/** Each step of the page on TLS, in its order; certificates may be seen together with authorities. */
async function tellsOfRotation(cluster: ClusterUnderTest): Promise<void> {
  const steps = [
    /^TlsAuthoritiesChanged .* now 2 \(1 added, 0 removed\)/,
    /^TlsAuthoritiesInUse All members trust the authorities of .*Next: change the certificates/,
    /^TlsAuthoritiesChanged .* now 1 \(0 added, 1 removed\)/,
    /^TlsAuthoritiesInUse .*The change of authority is done$/,
  ];
  const areTold = async () => {
    const events = (await cluster.events()).map(({ reason, message }) => `${reason} ${message}`);
    const at = steps.map((step) => events.findIndex((event) => step.test(event)));
    const areCertificatesTold = events.some((event) => event.startsWith("TlsCertificateChanged "));
    return areCertificatesTold && at.every((place, index) => place > (at[index - 1] ?? -1)) && events;
  };
  const events = await until(areTold, { what: `the Events of the rotation of ${cluster.name}` });
  for (const event of events.filter((each) => each.startsWith("Tls"))) process.stdout.write(`  ${event}\n`);
}

/** The certificate that a member shows now. */
async function serialOf(cluster: ClusterUnderTest): Promise<readonly string[]> {
  const { connect } = await import("node:tls");
  const voters = await cluster.voters();
  return Promise.all(
    voters.map(async ({ address, tls, serverName }) => {
      const { hostname: host, port } = new URL(`https://${address}`);
      const { ca, cert, key } = tls ?? {};
      assert.ok(ca && cert && key && serverName);
      const options = { ca: Buffer.from(ca), cert: Buffer.from(cert), key: Buffer.from(key), servername: serverName };
      const socket = connect({ host, port: Number(port), ...options });
      await new Promise((resolve, reject) => socket.once("secureConnect", resolve).once("error", reject));
      const { serialNumber } = socket.getPeerCertificate();
      socket.destroy();
      return serialNumber;
    }),
  );
}

describe("a cluster with TLS", { timeout: 300_000 }, () => {
  test.each(VERSIONS)("comes up on %s and serves only clients with a certificate", async (version) => {
    const name = `tls-${version.replaceAll(".", "-")}`;
    const certificates = await Certificates.create(scenario.local, name);
    const cluster = await scenario.create(name, { version, isTls: true });
    await certificates.give(cluster);
    await cluster.settled(3);
    const witness = await cluster.witness();
    await witness.writesAgain(50);
    await cluster.verify(witness);
    const [voter] = await cluster.voters();
    assert.ok(voter?.tls && voter.serverName);
    const { address, serverName } = voter;
    for (const tls of [undefined, { ca: voter.tls.ca }]) {
      const stranger = connectEtcd({ address, ...(tls && { tls, serverName }) }, { timeoutMs: 2_000 });
      await assert.rejects(stranger.range({ key: "a" }));
      stranger.close();
    }
    await cluster.delete();
    await cluster.isGone();
  });

  test.each([{ claims: false }, { claims: true }])(
    "gets new certificates without a restart, and another authority by restarts (claims: $claims)",
    { timeout: 1_200_000 },
    async ({ claims }) => {
      const name = claims ? "rotated-claims" : "rotated";
      const certificates = await Certificates.create(scenario.local, name);
      const cluster = await scenario.create(name, { isTls: true, claims, whenDeleted: "Delete", version: "3.5.35" });
      await certificates.give(cluster);
      await cluster.settled(3);
      const witness = await cluster.witness();
      await witness.writesAgain();
      let uids = await cluster.podUids();

      // Leaves.
      const before = await serialOf(cluster);
      await certificates.apply("certificates");
      const areShown = async () => (await serialOf(cluster)).every((serial) => !before.includes(serial));
      await until(areShown, { what: "members to show the new certificate", timeoutMs: A_LOOK_MS });
      await certificates.give(cluster);
      await cluster.settled(3);
      assert.deepEqual(await cluster.podUids(), uids);

      // Trust both.
      await certificates.apply("trust-both");
      await certificates.give(cluster);
      await isReplaced(cluster, uids, 3);
      uids = await cluster.podUids();

      // Leaves of the new authority.
      const old = await serialOf(cluster);
      await certificates.apply("certificates");
      await until(async () => (await serialOf(cluster)).every((serial) => !old.includes(serial)), {
        what: "members to show a certificate of the new authority",
        timeoutMs: A_LOOK_MS,
      });
      await certificates.give(cluster);
      await cluster.settled(3);
      assert.deepEqual(await cluster.podUids(), uids);

      // Trust the new one only.
      await certificates.apply("drop-old");
      await certificates.give(cluster);
      await isReplaced(cluster, uids, 3);
      await tellsOfRotation(cluster);
      await cluster.verify(witness);
      await cluster.delete();
      await cluster.isGone();
    },
  );
});

describe("what cannot work", { timeout: 400_000 }, () => {
  test("a Secret with a key of another certificate is named, no member is restarted, and the rollout goes on when it is corrected", async () => {
    const certificates = await Certificates.create(scenario.local, "defect");
    const cluster = await scenario.create("defect", { isTls: true });
    await certificates.give(cluster);
    await cluster.settled(3);
    const witness = await cluster.witness();
    const uids = await cluster.podUids();
    const key = Buffer.from(await certificates.file("server.key")).toString("base64");
    const patch = (value: string) =>
      scenario.local.kubectl("patch", "secret", "etcd-peer-tls", "-p", JSON.stringify({ data: { "peer.key": value } }));
    await patch(key);
    const said = /etcd-peer-tls.*peer\.key/s;
    const seen = await cluster.becomes(
      "to name the Secret and the key",
      (now) => said.test(conditionOf(now, "Degraded")?.message ?? ""),
      A_LOOK_MS,
    );
    process.stdout.write(`  ${conditionOf(seen, "Degraded")?.message}\n`);
    await cluster.changeSpec({ pod: { resources: { requests: { cpu: "15m" } } } });
    await staysSo(async () => assert.deepEqual(await cluster.podUids(), uids), { forMs: 15_000 });
    await witness.writesAgain();
    await patch(Buffer.from(await certificates.file("peer.key")).toString("base64"));
    await isReplaced(cluster, uids, 3);
    await cluster.verify(witness);
    await cluster.delete();
    await cluster.isGone();
  });

  test("a certificate of an unknown authority is refused, and no member is restarted", async () => {
    const certificates = await Certificates.create(scenario.local, "hasty");
    const cluster = await scenario.create("hasty", { isTls: true });
    await certificates.give(cluster);
    await cluster.settled(3);
    const old = await certificates.client();
    const uids = await cluster.podUids();
    const before = await scenario.local.kubectl("get", "secret", "etcd-peer-tls", "-o", "jsonpath={.data}");
    const witness = await cluster.witness();
    await witness.writesAgain();
    await certificates.make("trust-both");
    await certificates.make("certificates");
    const data = Object.fromEntries(
      await Promise.all(
        ["peer.crt", "peer.key", "peer-ca.crt"].map(async (file) => [
          file,
          Buffer.from(await certificates.file(file)).toString("base64"),
        ]),
      ),
    );
    await scenario.local.kubectl("patch", "secret", "etcd-peer-tls", "-p", JSON.stringify({ data }));
    cluster.tls = old;
    const seen = await cluster.becomes(
      "to refuse the certificate",
      (now) => /did not know when they started/.test(conditionOf(now, "Degraded")?.message ?? ""),
      A_LOOK_MS,
    );
    process.stdout.write(`  ${conditionOf(seen, "Degraded")?.message}\n`);
    assert.deepEqual(await cluster.podUids(), uids);
    await scenario.local.kubectl(
      "patch",
      "secret",
      "etcd-peer-tls",
      "-p",
      JSON.stringify({ data: JSON.parse(before) }),
    );
    await cluster.becomes("to be content", (now) => conditionOf(now, "Degraded")?.status === "False", A_LOOK_MS);
    assert.deepEqual(await cluster.podUids(), uids);
    await cluster.verify(witness);
    await cluster.delete();
    await cluster.isGone();
  });

  test("TLS is not switched on while members run", async () => {
    await Certificates.create(scenario.local, "plain");
    const cluster = await scenario.create("plain", { version: "3.5.16" });
    await cluster.settled(3);
    const uids = await cluster.podUids();
    const witness = await cluster.witness();
    const member = { peerSecret: "etcd-peer-tls", serverSecret: "etcd-server-tls" };
    const TLS = { static: { member, operatorSecret: "etcd-client-tls" } };
    await assert.rejects(cluster.changeSpec({ TLS }), /cannot be switched on or off while members run/);
    await witness.writesAgain(100);
    assert.deepEqual(await cluster.podUids(), uids);
    await cluster.verify(witness);
    await cluster.delete();
    await cluster.isGone();
  });
});
