import assert from "node:assert/strict";
import {
  anObservation,
  gone,
  healthy,
  leader,
  type MemberGiven,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { DONE, NOTHING, RUNNING, statusOf } from "@etcd-operator/testing/cluster/status-of.ts";
import { describe, test } from "vitest";
import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import { eventsOf } from "../events.ts";
import type { TlsSecretSeen, TlsSeen } from "../model/observation.ts";
import { CA_ANNOTATIONS } from "./ca-annotations.ts";

const [OLD, NEW] = ["a.1", "b.2"];

/** What the three Secrets hold, and for which authorities members have to be restarted. */
function secrets(authorities: readonly string[], certificate: string): TlsSeen {
  const held = { certificate, authorities };
  const of = (use: TlsSecretSeen["use"], name: string): TlsSecretSeen => ({ use, name, ...held });
  return {
    defects: [],
    expiring: [],
    ca: { peer: authorities.join(","), server: authorities.join(",") },
    secrets: [of("Peer", "peers"), of("Server", "servers"), of("Operator", "operator")],
  };
}

const believing = (make: typeof healthy, name: string, ca: readonly string[]): MemberGiven => {
  const noted = ca.join(",");
  const annotations = { [CA_ANNOTATIONS.peer]: noted, [CA_ANNOTATIONS.server]: noted };
  const metadata = { labels: {}, annotations, applied: { labels: [], annotations: [] } };
  return make(name, { pod: { isReady: true, metadata } });
};
const two = (a: readonly string[], b: readonly string[]) => [believing(leader, "a", a), believing(healthy, "b", b)];

function story(...passes: readonly { members: readonly MemberGiven[]; tls: TlsSeen }[]): string[][] {
  let status: EtcdClusterStatus = RUNNING;
  return passes.map(({ members, tls }) => {
    const seen = anObservation({ size: 2, members, status, seen: { tls } });
    status = statusOf(seen);
    return eventsOf(seen, NOTHING, DONE, status)
      .filter(({ reason }) => reason.startsWith("Tls"))
      .map(({ reason, message }) => `${reason} ${message}`);
  });
}

describe("a change of authority", () => {
  test("is reported in its steps: seen, trusting both, other certificates, the old one gone, done", () => {
    const [old, both, only] = [[OLD], [OLD, NEW], [NEW]];
    const told = story(
      { members: two(old, old), tls: secrets(old, "c1") },
      { members: two(old, old), tls: secrets(both, "c1") },
      { members: [believing(leader, "a", old), gone("b")], tls: secrets(both, "c1") },
      { members: two(old, both), tls: secrets(both, "c1") },
      { members: [gone("a"), believing(leader, "b", both)], tls: secrets(both, "c1") },
      { members: two(both, both), tls: secrets(both, "c1") },
      { members: two(both, both), tls: secrets(both, "c2") },
      { members: two(both, both), tls: secrets(only, "c2") },
      { members: two(both, only), tls: secrets(only, "c2") },
      { members: two(only, only), tls: secrets(only, "c2") },
      { members: two(only, only), tls: secrets(only, "c2") },
    );
    const reasons = told.map((each) => each.map((line) => line.split(" ")[0]?.replace("Tls", "")));
    const [seen, certificates] = [["AuthoritiesChanged"], ["CertificateChanged"]];
    const done = ["AuthoritiesInUse"];
    assert.deepEqual(reasons, [[], seen, [], [], [], done, certificates, seen, [], done, []]);
    assert.match(
      told[1]?.[0] ?? "",
      /Secret 'peers' \(members to each other\) now 2 \(1 added, 0 removed\), .*'servers'.*'operator'.*\. Leave the certificates/,
    );
    assert.match(
      told[5]?.[0] ?? "",
      /All members trust the authorities of Secret 'peers'.*Next: change the certificates/,
    );
    assert.match(told[9]?.[0] ?? "", /and no others\. The change of authority is done/);
  });

  test("is in the status, for each Secret", () => {
    const seen = anObservation({ members: two([OLD], [OLD, NEW]), seen: { tls: secrets([OLD, NEW], "c1") } });
    const inUse = statusOf(seen).tls?.map(({ use, authoritiesInUse }) => `${use} ${authoritiesInUse}`);
    assert.deepEqual(inUse, ["Peer false", "Server false", "Operator undefined"]);
  });

  test("is not reported for a new cluster, nor for Secrets that cannot be read for a moment", () => {
    const { secrets: held = [], ...rest } = secrets([OLD], "c1");
    const unread = { ...rest, secrets: held.map(({ use, name }) => ({ use, name })) };
    const whole = { ...rest, secrets: held };
    const told = story(
      { members: [], tls: whole },
      { members: two([OLD], [OLD]), tls: whole },
      { members: two([OLD], [OLD]), tls: unread },
      { members: two([OLD], [OLD]), tls: whole },
    );
    assert.deepEqual(told, [[], [], [], []]);
    const after = story(
      { members: two([OLD], [OLD]), tls: whole },
      { members: two([OLD], [OLD]), tls: unread },
      { members: two([OLD], [OLD]), tls: secrets([OLD], "c2") },
    );
    assert.equal(after[2]?.length, 1, "but of what they hold since");
  });
});
