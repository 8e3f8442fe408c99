import assert from "node:assert/strict";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { anObservation, healthy, leader } from "@etcd-operator/testing/cluster/an-observation.ts";
import type { Service } from "kubernetes-types/core/v1.d.ts";
import type { PodDisruptionBudget } from "kubernetes-types/policy/v1.d.ts";
import { describe, test } from "vitest";
import type { Observation, OwnedObjects } from "../model/observation.ts";
import { plan } from "../plan.ts";

function withObjects(objects: Partial<OwnedObjects>, given: Parameters<typeof anObservation>[0] = {}): Observation {
  const seen = anObservation(given);
  return { ...seen, objects: { ...seen.objects, ...objects } };
}

function written(seen: Observation): readonly string[] {
  const action = plan(seen);
  assert.equal(action.kind, "write-objects");
  const budget = action.disruptionBudget?.wanted.spec?.minAvailable;
  return [
    ...action.services.map(({ wanted, present }) => `${present ? "change" : "create"} ${wanted.metadata?.name}`),
    ...(budget === undefined ? [] : [`budget ${budget}`]),
  ];
}

function changed(change: (service: Stored<Service>) => void): Observation {
  const { clientService } = anObservation().objects;
  assert.equal(clientService.kind, "ours");
  const object = structuredClone(clientService.object);
  change(object);
  return withObjects({ clientService: { kind: "ours", object } });
}

function withBudget(edit: (budget: Stored<PodDisruptionBudget>) => void): Observation {
  const { disruptionBudget } = anObservation().objects;
  assert.equal(disruptionBudget.kind, "ours");
  const object = structuredClone(disruptionBudget.object);
  edit(object);
  return withObjects({ disruptionBudget: { kind: "ours", object } });
}

describe("the Services", () => {
  test("are the first thing that is made for a cluster", () => {
    const missing = { kind: "missing" } as const;
    const seen = withObjects({ peerService: missing, clientService: missing }, { members: [], size: 3, status: {} });
    assert.deepEqual(written(seen), ["create example", "create example-client"]);
  });

  test("lead no client to pods that a deleted cluster of the same name left: theirs is created when those have stopped", () => {
    const missing = { kind: "missing" } as const;
    const strangers = { leftoverPods: ["example-old"], foreignPods: [] };
    const given = { members: [], size: 3, status: {}, seen: { strangers } };
    const seen = withObjects({ peerService: missing, clientService: missing }, given);
    assert.deepEqual(written(seen), ["create example"]);
    const waiting = plan(withObjects({ clientService: missing }, given));
    assert.deepEqual([waiting.kind, waiting.reason], ["hold", "PreviousPodsRemain"]);
    const stopped = withObjects({ clientService: missing }, { members: [], size: 3, status: {} });
    assert.deepEqual(written(stopped), ["create example-client"]);
    // Clients of a running cluster are never left without it.
    const running = withObjects({ clientService: missing }, { members: [leader("a")], size: 1, seen: { strangers } });
    assert.deepEqual(written(running), ["create example-client"]);
  });

  test("are restored when another client changed our fields", () => {
    const changes: ((service: Stored<Service>) => void)[] = [
      ({ spec }) => Object.assign(spec ?? {}, { selector: { app: "etcd" } }),
      ({ spec }) => Object.assign(spec ?? {}, { selector: { ...spec?.selector, extra: "yes" } }),
      ({ spec }) => Object.assign(spec ?? {}, { ports: [{ name: "client", port: 2379, targetPort: 1 }] }),
      ({ spec }) => Object.assign(spec ?? {}, { ports: [{ ...spec?.ports?.[0], protocol: "UDP" }] }),
      ({ spec }) => Object.assign(spec ?? {}, { publishNotReadyAddresses: true }),
      ({ spec }) => Object.assign(spec ?? {}, { type: "ExternalName", externalName: "elsewhere.example.com" }),
      ({ metadata }) => Object.assign(metadata, { labels: {} }),
    ];
    for (const change of changes) assert.deepEqual(written(changed(change)), ["change example-client"]);
  });

  test("may have whatever the user and the API server add to them", () => {
    const seen = changed(({ metadata, spec }) => {
      metadata.annotations = { "example.com/owner": "me" };
      metadata.labels = { ...metadata.labels, team: "a" };
      Object.assign(spec ?? {}, { clusterIP: "10.0.0.7", sessionAffinity: "None", type: "LoadBalancer" });
    });
    assert.equal(plan(seen).kind, "none");
  });

  test("of another owner under our name keep a cluster from being bootstrapped, and are not touched", () => {
    const seen = withObjects({ peerService: { kind: "foreign" } }, { members: [], size: 3, status: {} });
    const action = plan(seen);
    assert.deepEqual([action.kind, action.reason], ["hold", "NameTaken"]);
    assert.match(action.message, /Service 'example' belongs to another owner: rename or delete it/);
  });

  test("of clients, and the budget, keep it from being bootstrapped when they belong to another owner", () => {
    const objects: readonly Partial<OwnedObjects>[] = [
      { clientService: { kind: "foreign" } },
      { disruptionBudget: { kind: "foreign" } },
    ];
    for (const taken of objects) {
      const action = plan(withObjects(taken, { members: [], size: 3, status: {} }));
      assert.deepEqual([action.kind, action.reason], ["hold", "NameTaken"]);
      assert.match(action.message, /'example(-client)?' belongs to another owner/);
    }
  });

  test("of ours that lost their owner get it again", () => {
    const { peerService, disruptionBudget } = anObservation().objects;
    assert.ok(peerService.kind === "ours" && disruptionBudget.kind === "ours");
    const services = plan(withObjects({ peerService: { ...peerService, kind: "orphaned" } }));
    assert.equal(services.kind, "write-objects");
    assert.deepEqual(
      services.services.map(({ takesOver }) => takesOver),
      [true],
    );
    const budget = plan(withObjects({ disruptionBudget: { ...disruptionBudget, kind: "orphaned" } }));
    assert.equal(budget.kind === "write-objects" && budget.disruptionBudget?.takesOver, true);
  });

  test("of another owner do not keep a running cluster from being reconciled", () => {
    assert.equal(
      plan(withObjects({ peerService: { kind: "foreign" }, clientService: { kind: "foreign" } })).kind,
      "none",
    );
  });
});

describe("the disruption budget", () => {
  test("keeps a majority of the voters there are now", () => {
    assert.deepEqual(written(withObjects({ disruptionBudget: { kind: "missing" } })), ["budget 2"]);
  });

  test("follows before the next voter comes", () => {
    const { disruptionBudget } = anObservation({ members: [leader("a")] }).objects;
    const members = [leader("a"), healthy("b"), healthy("c")];
    assert.deepEqual(written(withObjects({ disruptionBudget }, { members, size: 5 })), ["budget 2"]);
  });

  test("counts no foreign pod for a voter: as many as are ready have to stay besides", () => {
    const readyPods = ["foreign-1", "foreign-2"];
    const strangers = { leftoverPods: [], foreignPods: readyPods, readyPods };
    assert.deepEqual(written(anObservation({ seen: { strangers } })), ["budget 4"]);
  });

  test("is reverted when its selector, its limit or its labels were edited", () => {
    const edits: ((budget: Stored<PodDisruptionBudget>) => void)[] = [
      ({ spec }) => Object.assign(spec?.selector ?? {}, { matchLabels: { app: "etcd" } }),
      ({ spec }) => Object.assign(spec?.selector?.matchLabels ?? {}, { extra: "yes" }),
      ({ spec }) => Object.assign(spec?.selector ?? {}, { matchExpressions: [{ key: "no", operator: "Exists" }] }),
      ({ spec }) => Object.assign(spec ?? {}, { selector: undefined }),
      ({ spec }) => Object.assign(spec ?? {}, { minAvailable: undefined, maxUnavailable: 2 }),
      ({ metadata }) => Object.assign(metadata, { labels: {} }),
    ];
    for (const edit of edits) assert.deepEqual(written(withBudget(edit)), ["budget 2"], String(edit));
  });

  test("may have a policy for unhealthy pods that the user has added", () => {
    const seen = withBudget(({ spec }) => Object.assign(spec ?? {}, { unhealthyPodEvictionPolicy: "AlwaysAllow" }));
    assert.equal(plan(seen).kind, "none");
  });

  test("of another owner is left alone", () => {
    assert.equal(plan(withObjects({ disruptionBudget: { kind: "foreign" } })).kind, "none");
  });
});
