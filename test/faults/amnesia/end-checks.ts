import { readFile } from "node:fs/promises";
import { messageOf } from "@etcd-operator/kubernetes-client";
import { until } from "@etcd-operator/testing/until.ts";
import { amnesicStarts } from "./member-start.ts";
import type { Stage } from "./stage.ts";
import { unevenly } from "./unevenly.ts";

/** What is not as it must be when a plan is over and its cluster is healthy again. */
export async function endChecks(stage: Stage): Promise<readonly string[]> {
  const always = [promises, identities, members, changes, guards, starts, leftovers];
  const checks = [...always, ...(stage.plan.expect.told ? [told] : [])];
  const found: string[] = [];
  for (const check of checks) found.push(...(await check(stage)));
  return found;
}

/** Every voter reads all that was acknowledged, through the majority, and all have the same hash. */
async function promises({ witness, cluster }: Stage): Promise<readonly string[]> {
  if (!witness) return ["no client wrote"];
  await witness.stop();
  const { acknowledged } = witness.report();
  try {
    await witness.check(await cluster.voters());
    return acknowledged > 0 ? [] : ["nothing was acknowledged, so nothing is shown"];
  } catch (error) {
    return [messageOf(error)];
  }
}

async function identities({ watch, plan }: Stage): Promise<readonly string[]> {
  const { restores = 0 } = plan.expect;
  const ids = watch.clusterIds;
  return ids.length === restores + 1 ? [] : [`the cluster has had the ids ${ids.join(", ")}`];
}

/** By their ids: a member that has come back under its old name is the same only with its old id. */
async function members(stage: Stage): Promise<readonly string[]> {
  const { replaced = [], kept = [] } = stage.plan.expect;
  const now = Object.values(await stage.cluster.memberIds());
  const isThere = (role: (typeof kept)[number]) => now.some((id) => id === stage.actor(role).memberId);
  return [
    ...replaced.filter(isThere).map((role) => `${role} ${stage.nameOf(role)} should have been replaced`),
    ...kept.filter((role) => !isThere(role)).map((role) => `${role} ${stage.nameOf(role)} should have been kept`),
  ];
}

/** One change of the membership at a time. */
async function changes({ membership }: Stage): Promise<readonly string[]> {
  return membership.broken;
}

/** The operator has reported which directory was refused and why: in a condition, or where it replaced the member. */
async function guards({ world, namespace, watch, plan }: Stage): Promise<readonly string[]> {
  const log = (await readFile(world.operator.log, "utf8"))
    .split("\n")
    .filter((line) => line.includes(`"${namespace}/`));
  const said = [...watch.told, ...log].filter((text) => /refused|not its own|of an earlier time/.test(text));
  const missing = (plan.expect.refusals ?? []).filter((refusal) => !said.some((text) => text.includes(refusal)));
  return missing.map((refusal) => `it was not reported that a guard refused with '${refusal}'`);
}

/** No member that was ever recorded has begun again with nothing. */
async function starts(stage: Stage): Promise<readonly string[]> {
  const { world, namespace, watch, plan, isTooLate } = stage;
  const all = world.starts.starts(namespace);
  if (all.length === 0) return ["no start of any member was seen"];
  const { foreignStarts, beginsAgain } = plan.expect;
  return amnesicStarts(all, {
    clusterIds: foreignStarts ? undefined : watch.clusterIds,
    beginner: beginsAgain && !isTooLate ? stage.nameOf("newcomer") : undefined,
  });
}

/** Pods, claims and members are as many as they should be; what goes may take a moment. */
async function leftovers(stage: Stage): Promise<readonly string[]> {
  let left: readonly string[] = [];
  const isClean = async () => {
    left = await leftNow(stage);
    return left.length === 0;
  };
  await until(isClean, { what: "nothing to be left over", timeoutMs: 20_000, everyMs: 250 }).catch(() => undefined);
  return left;
}

async function leftNow({ cluster, plan, isTooLate }: Stage): Promise<readonly string[]> {
  const [members, pods, claims] = [await cluster.memberNames(), await cluster.pods(), await cluster.claims()];
  // What would have to stay after what the plan is about has not come about.
  const expect = isTooLate ? {} : plan.expect;
  return unevenly({ members, pods: pods.map(nameOf), claims: claims.map(nameOf) }, { ...plan, expect });
}

function nameOf({ metadata }: { readonly metadata: { readonly name: string } }): string {
  return metadata.name;
}

async function told({ watch, plan }: Stage): Promise<readonly string[]> {
  const missing = (plan.expect.told ?? []).filter((text) => !watch.told.some((said) => said.includes(text)));
  return missing.map((text) => `the status never said '${text}', but: ${watch.told.join(" | ")}`);
}
