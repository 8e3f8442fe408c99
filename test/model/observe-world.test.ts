import assert from "node:assert/strict";
import { type KubeClient, keyOf } from "@etcd-operator/kubernetes-client";
import { clientServiceName, peerServiceName } from "@etcd-operator/operator/api/cluster/cluster-names.ts";
import type { AnswerSeen, Observation, PodSeen } from "@etcd-operator/operator/cluster/model/observation.ts";
import type { Readers } from "@etcd-operator/operator/cluster/observe/kubernetes-source.ts";
import { MemberConnections } from "@etcd-operator/operator/cluster/observe/members/member-connections.ts";
import { createObserver } from "@etcd-operator/operator/cluster/observe.ts";
import { plan } from "@etcd-operator/operator/cluster/plan.ts";
import { SecretReader } from "@etcd-operator/operator/cluster/tls/secret-reader.ts";
import { describe, test } from "vitest";
import { clockOf } from "./act-in-world.ts";
import { Hand } from "./hand.ts";
import { KubernetesInWorld } from "./kubernetes-in-world.ts";
import { memberAt } from "./member-in-world.ts";
import { claimObject, podObject } from "./objects-in-world.ts";
import { observeWorld } from "./observe-world.ts";
import { wander } from "./walk.ts";
import { copyOf, type World } from "./world.ts";

const { signal } = new AbortController();

/** What the real observer sees of a world. */
async function observed(world: World): Promise<Observation> {
  const hand = new Hand(world, {});
  const client = new KubernetesInWorld(hand) as unknown as KubeClient;
  const secrets = new SecretReader(client);
  const clock = clockOf(world);
  const connect = ({ address }: { readonly address: string }) => memberAt(hand, address.split(":")[0] ?? "");
  const connections = new MemberConnections({ secrets, clock, connect });
  const scope = { covers: () => true };
  const readers = readersOf(world);
  const observer = createObserver({ client, readers, secrets, connections, scope, clock, random: () => 0 });
  const seen = await observer.observe(keyOf(world.cluster.metadata), signal, { mustReadLive: false });
  assert.ok(seen);
  return seen;
}

function readersOf(world: World): Readers {
  const { objects } = observeWorld(world);
  const stored = (object: (typeof objects)[keyof typeof objects]) =>
    object.kind === "ours" ? object.object : undefined;
  const { name } = world.cluster.metadata;
  const services = new Map([
    [peerServiceName(name), stored(objects.peerService)],
    [clientServiceName(name), stored(objects.clientService)],
  ]);
  return {
    clusters: { get: () => world.cluster },
    pods: { byIndex: () => [...world.pods.values()].map((pod) => podObject(world, pod)) },
    claims: { byIndex: () => [...world.claims.values()].map((claim) => claimObject(world, claim)) },
    services: { get: (ref: { readonly name: string }) => services.get(ref.name) },
    disruptionBudgets: { get: () => stored(objects.disruptionBudget) },
  } as Readers;
}

/** What rules go by: not why a member was not reached, in words. */
function toCompare(seen: Observation) {
  const { cluster, problems, objects, claims, setAside, lastStanding, strangers, membership, alarms, recovery } = seen;
  const pods = seen.pods.map(withoutWords);
  const aside = { claims: setAside.claims, pods: setAside.pods.map(withoutWords) };
  const last = lastStanding && { ...lastStanding, answer: answerWithoutWords(lastStanding.answer) };
  return plain({ cluster, problems, objects, pods, claims, aside, last, strangers, membership, alarms, recovery });
}

function withoutWords(pod: PodSeen) {
  return { ...pod, answer: answerWithoutWords(pod.answer) };
}

function answerWithoutWords({ why: _, isSilent: __, ...answer }: AnswerSeen) {
  return answer;
}

/** Absent and undefined are the same to every rule. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

describe("what the model shows the planner", () => {
  test("is what the real observer sees of it, wherever a walk leads", async () => {
    const worlds: World[] = [];
    for (let seed = 7_000_000; seed < 7_000_012; seed += 1) {
      await wander(seed, 120, plan, false, (world) => worlds.push(copyOf(world)));
    }
    for (const world of worlds) {
      // Its question after alarms is an entry of the log.
      const seen = await observed(copyOf(world));
      assert.deepEqual(toCompare(seen), toCompare(observeWorld(world)));
    }
  }, 120_000);
});
