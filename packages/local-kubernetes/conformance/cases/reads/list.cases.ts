import { beforeAll, describe, expect, test } from "vitest";
import { expectCode, type Scope, scopeOf } from "../../scope.ts";
import type { ConformanceTarget, KubeObject } from "../../target.ts";

interface List extends KubeObject {
  readonly items: KubeObject[];
  readonly metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
}

export function listCases(target: () => ConformanceTarget): void {
  describe("get and list", () => {
    const at = scopeOf(target);
    const get = (query = "") => at().rest<List>("GET", `${at().path("configmaps")}?${query}`);
    const list = async (query = "") => expectCode(200, await get(query));
    const selected = async (selector: string) => namesOf(await list(`labelSelector=${encodeURIComponent(selector)}`));
    beforeAll(() => createLabelled(at()));

    test("an object that does not exist is a 404 that names it", async () => {
      const answer = await at().rest("GET", at().path("configmaps", "none"));
      expect(expectCode(404, answer)).toMatchObject({
        kind: "Status",
        reason: "NotFound",
        message: 'configmaps "none" not found',
        details: { name: "none", kind: "configmaps" },
        code: 404,
      });
    });

    test("an object of a group that does not exist is a 404 that names the group", async () => {
      const answer = await at().rest("GET", at().path("apps/v1/deployments", "none"));
      expect(expectCode(404, answer)).toMatchObject({
        message: 'deployments.apps "none" not found',
        details: { name: "none", group: "apps", kind: "deployments" },
      });
    });

    test("a list has the kind of its items, a resourceVersion, and items without kind in the order of their names", async () => {
      const body = await list("labelSelector=tier");
      expect(body).toMatchObject({ kind: "ConfigMapList", apiVersion: "v1" });
      expect(body.metadata.resourceVersion).toMatch(/^[1-9]\d*$/);
      expect(namesOf(body)).toEqual(["a", "b", "c", "d"]);
      expect(body.items[0]?.kind).toBeUndefined();
    });

    test("a list's resourceVersion is not older than that of any item", async () => {
      const body = await list("labelSelector=tier");
      const newest = Math.max(...body.items.map(({ metadata }) => Number(metadata?.resourceVersion)));
      expect(Number(body.metadata.resourceVersion)).toBeGreaterThanOrEqual(newest);
    });

    test("a list of nothing has items that are empty, not missing", async () => {
      const { body } = await at().rest("GET", at().path("apps/v1/replicasets"));
      expect(body).toMatchObject({ kind: "ReplicaSetList", apiVersion: "apps/v1", items: [] });
    });

    test("a list in a namespace that does not exist is empty, not a 404", async () => {
      const { code, body } = await at().rest("GET", "/api/v1/namespaces/nowhere/configmaps");
      expect(code).toBe(200);
      expect(body.items).toEqual([]);
    });

    test("a list across namespaces holds those of each, told apart by their namespace", async () => {
      const { body } = await at().rest<List>("GET", "/api/v1/configmaps?labelSelector=tier");
      const ours = body.items.filter(({ metadata }) => metadata?.namespace === at().namespace);
      expect(ours.length).toBe(4);
    });

    test.each([
      ["tier=front", ["a", "b"]],
      ["tier==front", ["a", "b"]],
      ["tier=front,track=stable", ["a"]],
      ["tier,tier!=front", ["c", "d"]],
      ["tier in (front, back)", ["a", "b", "c"]],
      ["tier,tier notin (front,back)", ["d"]],
      ["tier,!track", ["b", "d"]],
      ["track", ["a", "c"]],
      ["weight>2", ["c", "d"]],
      ["weight<2", ["a"]],
    ])("the label selector %j finds %j", async (selector, names) => {
      expect(await selected(selector)).toEqual(names);
    });

    test("a label selector that cannot be read is a 400 that says why", async () => {
      const { code, body } = await get("labelSelector=a%20b%20c");
      expect(code).toBe(400);
      expect(body).toMatchObject({
        reason: "BadRequest",
        message: "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
      });
    });

    test("the field selectors metadata.name and metadata.namespace work for every kind", async () => {
      expect(namesOf(await list("fieldSelector=metadata.name%3Da"))).toEqual(["a"]);
      expect(namesOf(await list(`labelSelector=tier&fieldSelector=metadata.name!%3Da`))).toEqual(["b", "c", "d"]);
      const other = await at().rest<List>(
        "GET",
        `/api/v1/configmaps?fieldSelector=metadata.namespace%3D${at().namespace}`,
      );
      expect(namesOf(other.body)).toEqual(namesOf(await list()));
    });

    test("a field that is no selector is a 400", async () => {
      const { code, body } = await get("fieldSelector=data.color%3Dred");
      expect(code).toBe(400);
      expect(body.message).toContain('"data.color" is not a known field selector: only "metadata.name"');
    });

    test("limit and continue page through a list, which stays as it was at the first page", async () => {
      const first = await list("labelSelector=tier&limit=3");
      expect(namesOf(first)).toEqual(["a", "b", "c"]);
      expect(first.metadata.continue).toBeTruthy();
      // With a selector it is not known how many are left.
      expect(first.metadata.remainingItemCount).toBeUndefined();
      const second = await list(`labelSelector=tier&limit=3&continue=${first.metadata.continue}`);
      expect(namesOf(second)).toEqual(["d"]);
      expect(second.metadata.continue).toBeFalsy();
      expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    });

    test("a page without selector tells how many items remain", async () => {
      const count = (await list()).items.length;
      const page = await list("limit=1");
      expect(page.items.length).toBe(1);
      expect(page.metadata.remainingItemCount).toBe(count - 1);
    });

    test("later pages do not show what was created after the first one", async () => {
      const first = await list("limit=1");
      await at().create("configmaps", { metadata: { name: "zz-later" } });
      const rest = await list(`continue=${first.metadata.continue}`);
      expect(namesOf(rest)).not.toContain("zz-later");
    });

    test("a continue token that is none is a 400", async () => {
      const { code, body } = await get("limit=1&continue=nonsense");
      expect(code).toBe(400);
      expect(body.message).toContain("invalid continue token: continue key is not valid");
    });

    test("a limit that is no number is a 400", async () => {
      expect((await get("limit=many")).code).toBe(400);
    });

    test("a resourceVersion that is no number is a 400", async () => {
      const { code, body } = await get("resourceVersion=abc");
      expect(code).toBe(400);
      expect(body.message).toContain('resourceVersion: Invalid value: "abc"');
    });

    test("resourceVersion=0 is answered with what the server knows", async () => {
      const body = await list("resourceVersion=0&labelSelector=tier");
      expect(body.kind).toBe("ConfigMapList");
    });
  });
}

async function createLabelled(scope: Scope): Promise<void> {
  const labels: Record<string, Record<string, string>> = {
    c: { tier: "back", track: "canary", weight: "3" },
    a: { tier: "front", track: "stable", weight: "1" },
    d: { tier: "cache", weight: "4" },
    b: { tier: "front", weight: "2" },
  };
  for (const [name, of] of Object.entries(labels)) await scope.create("configmaps", { metadata: { name, labels: of } });
}

function namesOf({ items }: List): (string | undefined)[] {
  return items.map(({ metadata }) => metadata?.name);
}
