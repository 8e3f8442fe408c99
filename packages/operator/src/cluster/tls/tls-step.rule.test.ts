import assert from "node:assert/strict";
import { A_CLAIM, anEtcdCluster, STATIC_TLS } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { anAuthority, DAY_MS, type Issued, issue, NOW_MS } from "@etcd-operator/testing/tls/issue.ts";
import { startedPod } from "@etcd-operator/testing/tls/started-pod.ts";
import { SecretsUnderTest, SOUND } from "@etcd-operator/testing/tls/tls-secrets.ts";
import { beforeAll, describe, test } from "vitest";
import { describeFinding } from "./finding.ts";
import type { TlsSecrets } from "./parse-secret.ts";
import { tlsSeen } from "./tls-seen.ts";
import { type StartedPod, type TlsStep, tlsStep } from "./tls-step.rule.ts";

describe("a change of authority", () => {
  let old: SecretsUnderTest;
  let renewed: SecretsUnderTest;
  let authority: Record<"old" | "new", Issued>;

  beforeAll(async () => {
    [old, renewed] = await Promise.all([
      SecretsUnderTest.create(await anAuthority("CN=old")),
      SecretsUnderTest.create(await anAuthority("CN=new")),
    ]);
    authority = { old: old.ca, new: renewed.ca };
  });

  const oldOnly = () => old.with({});
  const both = () => old.withBundle(authority.old, authority.new);
  const bothWithNewLeaves = () => renewed.withBundle(authority.old, authority.new);
  const newOnly = () => renewed.with({});

  test("goes over trusting both to new certificates and to trusting the new one, without ever being refused", () => {
    let members = threeStartedWith(oldOnly());
    assert.deepEqual(step(oldOnly(), members), { kind: "settled" });
    for (const now of [both(), bothWithNewLeaves(), newOnly()]) {
      members = restartedOneByOne(now, members);
      assert.deepEqual(step(now, members), { kind: "settled" });
    }
  });

  test("restarts all when the bundle changed, and none when only certificates did", () => {
    assert.deepEqual(membersOf(step(both(), threeStartedWith(oldOnly()))), ["a", "b", "c"]);
    assert.deepEqual(step(bothWithNewLeaves(), threeStartedWith(both())), { kind: "settled" });
    assert.deepEqual(membersOf(step(newOnly(), threeStartedWith(both()))), ["a", "b", "c"]);
  });

  test("restarts only those that were not started since", () => {
    const [a, ...rest] = threeStartedWith(oldOnly());
    const members = [a, startedPod("b", both()), ...rest.slice(1)].filter((member) => member !== undefined);
    assert.deepEqual(membersOf(step(both(), members)), ["a", "c"]);
  });

  test("concerns a member once, whichever of its two bundles changed", () => {
    const members = threeStartedWith(oldOnly());
    const ca = authority.old.cert + authority.new.cert;
    for (const secrets of [old.with({ peer: { ca } }), old.with({ server: { ca } })]) {
      assert.deepEqual(membersOf(step(secrets, members)), ["a", "b", "c"]);
    }
    assert.deepEqual(step(old.with({ operator: { ca } }), members), { kind: "settled" });
  });

  test("is refused when certificate and authority were changed at once: members would be cut off from each other", () => {
    const refused = findingsOf(step(newOnly(), threeStartedWith(oldOnly())));
    assert.deepEqual(
      refused.map(({ code, severity, secret, key }) => ({ code, severity, secret, key })),
      [
        { code: "trust-both-first", severity: "defect", secret: "peer", key: "peer.crt" },
        { code: "trust-both-first", severity: "defect", secret: "operator", key: "etcd-client.crt" },
      ],
    );
    const [peer, operator] = refused.map(describeFinding);
    assert.match(
      peer ?? "",
      /'a', 'b', 'c' did not know .* refuse each other: put the previous 'peer.crt' and 'peer.key'/,
    );
    assert.match(peer ?? "", /let 'peer-ca.crt' of Secret 'peer' hold the old and the new authority/);
    assert.match(operator ?? "", /refuse the operator: .*let 'server-ca.crt' of Secret 'server' hold/);
  });

  test("is refused also when both are trusted, but the certificate came before the restarts", () => {
    assert.equal(step(bothWithNewLeaves(), threeStartedWith(oldOnly())).kind, "refused");
  });

  test("continues while the rest is a majority without those that do not trust yet, and restarts these first", () => {
    const members = [startedPod("a", newOnly()), startedPod("b", oldOnly()), startedPod("c", both())];
    assert.deepEqual(membersOf(step(newOnly(), members)), ["b", "c"]);
    const outnumbered = [startedPod("a", newOnly()), startedPod("b", oldOnly()), startedPod("c", oldOnly())];
    assert.equal(step(newOnly(), outnumbered).kind, "refused");
  });

  test("counts members that do not run against the majority, and restarts none of them", () => {
    const down = { ...startedPod("c", oldOnly()), isEtcdRunning: false };
    const members = [startedPod("a", newOnly()), startedPod("b", newOnly()), down];
    assert.deepEqual(step(newOnly(), members), { kind: "settled" });
    const fewer = [startedPod("a", newOnly()), startedPod("b", oldOnly()), down];
    assert.equal(step(newOnly(), fewer).kind, "refused");
  });

  test("is taken at once by a single member on a volume, which has no peer to be cut off from", () => {
    const alone = [startedPod("a", oldOnly())];
    assert.deepEqual(membersOf(step(newOnly(), alone, { persistentVolumeClaimSpec: A_CLAIM })), ["a"]);
    assert.equal(step(newOnly(), alone).kind, "refused");
  });

  test("is no change of trust when the authority got a new certificate for the same key", async () => {
    const request = { keys: authority.old.keys, notAfterMs: NOW_MS + 999 * DAY_MS };
    const again = await SecretsUnderTest.create(await anAuthority("CN=old", request));
    assert.deepEqual(membersOf(step(again.with({}), threeStartedWith(oldOnly()))), ["a", "b", "c"]);
  });

  test("believes a certificate by way of an authority between, when it is sent along or was known at the start", async () => {
    const between = await anAuthority("CN=between", { by: authority.old });
    const { cert, key } = await issue({ ...SOUND.peer, by: between });
    const sent = old.with({ peer: { certificate: cert + between.cert, key } });
    assert.equal(step(sent, threeStartedWith(oldOnly())).kind, "settled");
    const ca = authority.old.cert + between.cert;
    const bundled = old.with({ peer: { certificate: cert, key, ca } });
    assert.equal(step(bundled, threeStartedWith(oldOnly())).kind, "refused");
    assert.equal(step(bundled, threeStartedWith(old.with({ peer: { ca } }))).kind, "settled");
  });

  test("restarts no member of which it knows nothing, unless others are known to be behind", () => {
    const unknown = ["a", "b", "c"].map((name) => ({
      ...{ name, isEtcdRunning: true, metadata: { annotations: {} } },
    }));
    assert.deepEqual(step(newOnly(), unknown), { kind: "settled" });
    const [first] = unknown;
    const mixed = [...(first ? [first] : []), startedPod("b", both()), startedPod("c", both())];
    assert.deepEqual(step(newOnly(), mixed), { kind: "restart", members: ["a", "b", "c"] });
    // Nor does it count on them.
    const doubted = [...(first ? [first] : []), startedPod("b", both()), startedPod("c", oldOnly())];
    assert.equal(step(newOnly(), doubted).kind, "refused");
  });

  test("does not concern what the spec does not use", () => {
    const { peer } = both();
    const before = oldOnly();
    const members = ["a", "b", "c"].map((name) => startedPod(name, before.peer ? { peer: before.peer } : {}));
    assert.deepEqual(step(peer ? { peer } : {}, members), { kind: "restart", members: ["a", "b", "c"] });
    assert.deepEqual(step({}, members), { kind: "settled" });
  });

  /** What the planner does: asks, restarts the first, asks again. */
  function restartedOneByOne(now: TlsSecrets, members: readonly StartedPod[]): readonly StartedPod[] {
    const next = step(now, members);
    if (next.kind === "settled") return members;
    const [name = ""] = membersOf(next);
    return restartedOneByOne(
      now,
      members.map((member) => (member.name === name ? startedPod(name, now) : member)),
    );
  }
});

function step(secrets: TlsSecrets, members: readonly StartedPod[], pod: object = {}): TlsStep {
  const cluster = anEtcdCluster({ TLS: STATIC_TLS, pod });
  // What the certificates are worth by themselves is a matter of checkTls.
  const tls = { ...tlsSeen(cluster, secrets, members, NOW_MS), defects: [] };
  return tlsStep({ cluster, tls, pods: members });
}

function threeStartedWith(secrets: TlsSecrets): readonly StartedPod[] {
  return ["a", "b", "c"].map((name) => startedPod(name, secrets));
}

function membersOf(now: TlsStep): readonly string[] {
  assert.equal(now.kind, "restart", now.kind === "refused" ? now.findings.map(describeFinding).join("\n") : now.kind);
  return now.kind === "restart" ? now.members : [];
}

function findingsOf(now: TlsStep) {
  return now.kind === "refused" ? now.findings : [];
}
