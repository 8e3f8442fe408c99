import assert from "node:assert/strict";
import type { KubeObject, Stored } from "@etcd-operator/kubernetes-client";
import { anEtcdCluster } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { anObservation } from "@etcd-operator/testing/cluster/an-observation.ts";
import { describe, test } from "vitest";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import type { OwnedObjects } from "../model/observation.ts";
import type { Source } from "../observe/kubernetes-source.ts";
import { objectsSeen } from "../observe/objects-seen.ts";
import { plan } from "../plan.ts";
import { podDisruptionBudget } from "./pod-disruption-budget.ts";
import { clientService, peerService } from "./service.ts";

const NAMES = ["a", "a-client", "a-client-client", "client", "b"];
const pairs = NAMES.flatMap((first) => NAMES.flatMap((second) => (first === second ? [] : [[first, second] as const])));

function named(name: string): Stored<EtcdCluster> {
  return anEtcdCluster({}, { name, uid: `uid-of-${name}` }) as Stored<EtcdCluster>;
}

/** As a second cluster sees the names that it needs, where a first has all of its own. */
async function seenBeside(first: string, second: string): Promise<OwnedObjects> {
  const of = named(first);
  const stored = (made: KubeObject): Stored<KubeObject> => made as Stored<KubeObject>;
  const find = (made: readonly object[]) => async (name: string) =>
    made.map((each) => stored(each as KubeObject)).find(({ metadata }) => metadata.name === name);
  const source = {
    service: find([peerService(of), clientService(of)]),
    disruptionBudget: find([podDisruptionBudget(of, 3)]),
  };
  return objectsSeen(named(second), source as unknown as Source);
}

function founding(name: string, objects: OwnedObjects) {
  const seen = anObservation({ size: 3, members: [], membership: "unknown", status: {}, metadata: { name } });
  return plan({ ...seen, objects });
}

describe("a cluster whose names meet those of another", () => {
  test.each(pairs)(
    "%s, then %s: the second is not bootstrapped unless all its names are free",
    async (first, second) => {
      const action = founding(second, await seenBeside(first, second));
      const meets = `${first}-client` === second || `${second}-client` === first;
      assert.equal(action.reason, meets ? "NameTaken" : "WritingServices");
      if (meets) assert.match(action.message, /belongs to another owner: rename or delete it/);
    },
  );

  test("waits for the objects of a deleted one of its own name, which are deleted without the operator", async () => {
    const left = { kind: "foreign", isLeftover: true } as const;
    const action = founding("a", { peerService: left, clientService: left, disruptionBudget: left });
    assert.deepEqual([action.kind, action.reason], ["hold", "PreviousObjectsRemain"]);
    assert.match(action.message, /Service 'a', Service 'a-client'/);
  });
});
