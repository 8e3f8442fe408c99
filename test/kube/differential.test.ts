import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { plan } from "../differential/plan.ts";
import { findingsOf, inLines } from "../differential/report.ts";
import { runStories, type Servers } from "../differential/run-stories.ts";
import { startServers } from "../differential/servers.ts";

const SEED = 1;
const REQUESTS = 1000;

let servers: Awaited<ReturnType<typeof startServers>>;

beforeAll(async () => {
  servers = await startServers();
});

afterAll(() => servers?.stop());

describe("the API server of local mode beside a real one", () => {
  test(`answers ${REQUESTS} generated requests (SEED=${SEED}) alike`, { timeout: 300_000 }, async () => {
    const { requests, found } = findingsOf(await runStories(servers, plan(SEED, REQUESTS, "kube"), "kube"));
    expect(found.map((finding) => inLines(finding, SEED).join("\n"))).toEqual([]);
    expect(requests).toBeGreaterThanOrEqual(REQUESTS);
  });

  test("is found out when it answers one thing wrong", { timeout: 60_000 }, async () => {
    const altered: Servers = { real: servers.real, local: { rest: withWrongLabels(servers.local.rest) } };
    const { found } = findingsOf(await runStories(altered, plan(SEED, 60, "wrong"), "wrong"));
    expect(found.flatMap(({ differences }) => differences.map(({ at }) => at))).toContain("body.metadata.labels.wrong");
  });
});

/** A server between, which puts a label on whatever is created. */
function withWrongLabels(rest: Servers["local"]["rest"]): Servers["local"]["rest"] {
  return async <Body>(...[method, path, body, options]: Parameters<typeof rest>) => {
    const answer = await rest<Body>(method, path, body, options);
    if (method !== "POST" || answer.code !== 201) return answer;
    const object = structuredClone(answer.body) as { metadata?: { labels?: Record<string, string> } };
    if (object.metadata?.labels) object.metadata.labels.wrong = "yes";
    return { ...answer, body: object as Body };
  };
}
