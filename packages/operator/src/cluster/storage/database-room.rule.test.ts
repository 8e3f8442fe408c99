import assert from "node:assert/strict";
import {
  anObservation,
  healthy,
  leader,
  type ObservationGiven,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { conditionIn, DONE, NOTHING, RUNNING, statusOf, verdictIn } from "@etcd-operator/testing/cluster/status-of.ts";
import { describe, test } from "vitest";
import { inBytes, roomOnVolume } from "../../api/cluster/quota-fits.ts";
import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import { eventsOf } from "../events.ts";
import { situationOf } from "../model/situation.ts";
import { recheckMs } from "../status/recheck.status.ts";
import { databaseLimitOf, untilFullMs } from "./database-room.rule.ts";

const MIB = 2 ** 20;
const GIB = 2 ** 30;

/** Three members with databases of these sizes. */
function sized(sizes: readonly number[], given: ObservationGiven = {}) {
  const plain = anObservation({ size: sizes.length, members: members(sizes.length), ...given });
  const pods = plain.pods.map((pod, at) => {
    const { status } = pod.answer;
    return status
      ? { ...pod, answer: { ...pod.answer, status: { ...status, databaseSizeBytes: sizes[at] ?? 0 } } }
      : pod;
  });
  return { ...plain, pods };
}
const members = (count: number) =>
  ["a", "b", "c"].slice(0, count).map((name, at) => (at === 0 ? leader : healthy)(name));
const limits = (given: ObservationGiven) => {
  const now = situationOf(sized([MIB], given));
  return now.listed.map((member) => databaseLimitOf(member, now)).map(({ bytes, by }) => `${by} ${inBytes(bytes)}`);
};

describe("the limit of a database", () => {
  test("is the quota of its member: etcd's own of 2 GiB, what the spec says, or what etcdEnv says", () => {
    assert.deepEqual(limits({}), ["quota 2 GiB"]);
    assert.deepEqual(limits({ spec: { etcd: { quotaBackendBytes: 0 } } }), ["quota 2 GiB"]);
    assert.deepEqual(limits({ spec: { etcd: { quotaBackendBytes: 3 * GIB } } }), ["quota 3 GiB"]);
    const etcdEnv = [{ name: "ETCD_QUOTA_BACKEND_BYTES", value: String(16 * MIB) }];
    assert.deepEqual(limits({ spec: { pod: { etcdEnv } } }), ["quota 16 MiB"]);
  });

  test("is the room on the volume beside the log, where that is smaller", () => {
    assert.deepEqual(limits({ claims: true }), ["volume 704 MiB"]);
    assert.deepEqual(
      [roomOnVolume("64Mi"), roomOnVolume("8Gi"), roomOnVolume("much")],
      [32 * MIB, 7.6875 * GIB, undefined],
    );
  });
});

describe("a database that has used most of its room", () => {
  const at = (share: number, status: EtcdClusterStatus = RUNNING) =>
    sized([MIB, Math.ceil(share * 2 * GIB), MIB], { status });
  const toldOf = (share: number, before: EtcdClusterStatus) => {
    const seen = at(share, before);
    const status = statusOf(seen);
    const events = eventsOf(seen, NOTHING, DONE, status).filter(({ reason }) => reason === "DatabaseNearLimit");
    return { status, events: events.map(({ type, message }) => `${type} ${message}`) };
  };

  test("is reported from 80 % on, with what to do first", () => {
    assert.equal(verdictIn(statusOf(at(0.79)), "Degraded"), "False NoProblems");
    const status = statusOf(at(0.8));
    assert.equal(verdictIn(status, "Degraded"), "True DatabaseNearLimit");
    assert.match(
      conditionIn(status, "Degraded").message ?? "",
      /^Compact and defragment.*used by the database of b \(quota 2 GiB\)$/,
    );
    assert.equal(verdictIn(status, "Available"), "True MajorityHealthy");
  });

  test("gives one Event, until it has been below 75 %", () => {
    const first = toldOf(0.81, RUNNING);
    assert.match(first.events.join(), /^Warning Compact and defragment.*member b/);
    const below = toldOf(0.78, first.status);
    const again = toldOf(0.83, below.status);
    assert.deepEqual([below.events, again.events], [[], []]);
    assert.equal(verdictIn(below.status, "Degraded"), "True DatabaseNearLimit");
    const small = toldOf(0.74, again.status);
    assert.equal(verdictIn(small.status, "Degraded"), "False NoProblems");
    assert.equal(toldOf(0.81, small.status).events.length, 1);
  });

  test("is not reported beside the alarm, which says more", () => {
    const status = statusOf({ ...at(1), alarms: [{ memberId: "b", kind: "no-space" }] });
    assert.equal(verdictIn(status, "Degraded"), "True NoSpaceAlarm");
    assert.doesNotMatch(conditionIn(status, "Degraded").message ?? "", /More than 80 %/);
  });
});

describe("when a quota may be reached", () => {
  const fullInMs = (size: number, databaseGrowth?: number) =>
    untilFullMs(situationOf({ ...sized([size]), ...(databaseGrowth !== undefined && { databaseGrowth }) }));

  test("is measured by the room that is left, and by how fast the database grows", () => {
    assert.equal(fullInMs(0), 512_000);
    assert.equal(fullInMs(GIB, 32 * MIB), 16_000);
    assert.equal(fullInMs(2 * GIB), 5_000, "but no member is queried without a pause");
  });

  test("decides when to look again: soon where there is little room, and as ever where there is much", () => {
    assert.equal(recheckMs(sized([GIB])), undefined);
    assert.equal(recheckMs(sized([2 * GIB - 80 * MIB])), 8_000);
    assert.equal(recheckMs(sized([2 * GIB - 24 * MIB])), 6_000);
    const alarms = [{ memberId: "a", kind: "no-space" as const }];
    assert.equal(recheckMs({ ...sized([2 * GIB]), alarms }), undefined);
  });
});

test("a volume that is full is named, with what to do first", () => {
  const trouble =
    "container etcd keeps ending with exit code 1: failed to commit tx: write db: no space left on device";
  const pod = { trouble, isReady: false, isEtcdRunning: false };
  const seen = anObservation({ members: [leader("a"), healthy("b"), healthy("c", { health: "unknown", pod })] });
  const status = statusOf(seen);
  assert.equal(verdictIn(status, "Degraded"), "True VolumeFull");
  assert.match(
    conditionIn(status, "Degraded").message ?? "",
    /^Enlarge the volume .*no space is left on the volume of c\. /,
  );
});
