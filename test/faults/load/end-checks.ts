import { connectEtcd } from "@etcd-operator/etcd-client";
import type { MemberEndpoint } from "@etcd-operator/testing/scenario/data/witness.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { tooLittleAnswered } from "./checks/enough.ts";
import { judged } from "./checks/judged.ts";
import { ask } from "./clients/ask.ts";
import { type Clients, KEYS } from "./clients/clients.ts";
import { nothingDone } from "./nemesis/attempts.ts";
import type { Stage } from "./stage.ts";

const TIMEOUT_MS = 10_000;

/**
 * What is wrong with a cluster that is idle: its members, their version, its id, its watches, and all that its
 * clients were acknowledged; and whether enough was done to it for that to show anything.
 */
export async function wrongAtTheEnd(stage: Stage, clients: Clients): Promise<readonly string[]> {
  const failures: string[] = [];
  const attempt = async (check: () => Promise<unknown>) => {
    await check().catch((error: Error) => failures.push(error.message));
  };
  clients.stopUsing();
  await attempt(async () => {
    const voters = await stage.voters();
    const revision = await readEverywhere(stage, voters);
    await clients.haveSeen(revision);
    failures.push(...(await differences(voters, revision)));
  });
  await attempt(() => clients.stop());
  await attempt(() => stage.stopWitness());
  for (const witness of stage.witnesses) await attempt(async () => witness.check(await stage.voters()));
  await attempt(() => keptItsId(stage));
  await attempt(() => runsItsVersion(stage));
  const { plan, attempts, recorder, membership } = stage;
  const idle = [...nothingDone(plan, attempts), ...tooLittleAnswered(recorder.operations, plan.forMs)];
  return [...failures, ...idle, ...membership.broken, ...judged(recorder)];
}

/** Every voter reads every key through the majority; then one more write, at whose revision all can be compared. */
async function readEverywhere(stage: Stage, voters: readonly MemberEndpoint[]): Promise<bigint> {
  const { number, clusterId } = stage.epoch;
  let revision = 0n;
  for (const { name, ...endpoint } of voters) {
    const client = connectEtcd(endpoint, { timeoutMs: TIMEOUT_MS, expectClusterId: clusterId });
    try {
      for (const key of KEYS) {
        const action = { kind: "read" } as const;
        const isDone = stage.recorder.call({ client: `end-${name}`, epoch: number, key, action });
        const { outcome } = isDone(await ask(client, key, action));
        if (outcome.kind !== "ok") throw new Error(`member ${name} does not tell ${key}: ${outcome.why}`);
      }
      const [key = ""] = KEYS;
      const action = { kind: "write", to: `end-${name}` } as const;
      const isDone = stage.recorder.call({ client: `end-${name}`, epoch: number, key, action });
      const { outcome } = isDone(await ask(client, key, action));
      if (outcome.kind !== "ok") throw new Error(`member ${name} takes no write: ${outcome.why}`);
      revision = outcome.revision;
    } finally {
      client.close();
    }
  }
  return revision;
}

/** All have the same at one revision, once each has come that far and forgotten the same. */
async function differences(voters: readonly MemberEndpoint[], revision: bigint): Promise<readonly string[]> {
  const hashes = () =>
    Promise.all(
      voters.map(async ({ name, ...endpoint }) => {
        const client = connectEtcd(endpoint, { timeoutMs: TIMEOUT_MS });
        try {
          return { name, ...(await client.hashKeyValues(revision)) };
        } finally {
          client.close();
        }
      }),
    );
  const comparable = async () => {
    const all = await hashes();
    return new Set(all.map(({ compactRevision }) => compactRevision)).size === 1 && all;
  };
  const all = await until(comparable, { what: "all members to have compacted the same" });
  if (new Set(all.map(({ hash }) => hash)).size === 1) return [];
  const told = all.map(({ name, hash, compactRevision }) => `${name}: ${hash} (compacted ${compactRevision})`);
  return [`the members differ at revision ${revision}: ${told.join(", ")}`];
}

async function keptItsId(stage: Stage): Promise<void> {
  const [now, expected] = [await stage.clusterId(), stage.epoch.clusterId];
  if (now !== expected) throw new Error(`the cluster's id is ${now.toString(16)}, and was ${expected.toString(16)}`);
}

/** Every member runs the version that was asked for last. */
async function runsItsVersion({ cluster, version }: Stage): Promise<void> {
  const others = (await cluster.answers()).filter(({ status }) => status.version !== version);
  const told = others.map(({ pod, status }) => `${pod.metadata.name} runs ${status.version}`);
  if (told.length > 0) throw new Error(`${version} was asked for, and ${told.join(", ")}`);
}
