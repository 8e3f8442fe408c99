import { until } from "@etcd-operator/testing/until.ts";
import { describe, expect, test } from "vitest";
import { expectCode, needsControllers, type Scope, scopeOf } from "../../scope.ts";
import type { ConformanceTarget, KubeObject } from "../../target.ts";

export function garbageCollectionCases(target: () => ConformanceTarget): void {
  describe("garbage collection", () => {
    const at = scopeOf(target);

    test("what an object owned is deleted after it", async (context) => {
      needsControllers(context, target());
      const { owner } = await family(at(), "background");
      expectCode(200, await remove(at(), owner, "Background"));
      expect((await at().rest("GET", at().path("configmaps", owner))).code).toBe(404);
      await gone(at(), "background-owned");
    });

    test("Foreground deletes what blocks the owner first", async (context) => {
      needsControllers(context, target());
      const { owner, owned } = await family(at(), "foreground", ["example.com/hold"]);
      const body = expectCode(200, await remove(at(), owner, "Foreground"));
      expect(body.metadata).toMatchObject({
        finalizers: ["foregroundDeletion"],
        deletionTimestamp: expect.any(String),
      });
      const marked = async () => (await at().get("configmaps", owned)).metadata?.deletionTimestamp;
      await until(marked, { what: "the owned object to be marked for deletion" });
      // The owner waits for as long as the owned object is held.
      await at().get("configmaps", owner);
      await at().rest("PATCH", at().path("configmaps", owned), { metadata: { finalizers: null } });
      await gone(at(), owner);
    });

    test("Orphan keeps what was owned and takes the owner's reference away", async (context) => {
      needsControllers(context, target());
      const { owner, owned } = await family(at(), "orphan");
      await remove(at(), owner, "Orphan");
      await gone(at(), owner);
      expect((await at().get("configmaps", owned)).metadata?.ownerReferences).toBeUndefined();
    });

    test("an object with two owners stays until both are gone", async (context) => {
      needsControllers(context, target());
      const one = referenceTo(await at().create("configmaps", { metadata: { name: "one" } }));
      const two = referenceTo(await at().create("configmaps", { metadata: { name: "two" } }));
      await at().create("configmaps", { metadata: { name: "shared", ownerReferences: [one, two] } });
      await remove(at(), "one", "Background");
      const left = async () => {
        const { metadata } = await at().get("configmaps", "shared");
        return (metadata?.ownerReferences as KubeObject[] | undefined)?.length === 1;
      };
      await until(left, { what: "the dead owner's reference to be taken away" });
      await remove(at(), "two", "Background");
      await gone(at(), "shared");
    });

    test("an object whose owner never existed is deleted", async (context) => {
      needsControllers(context, target());
      const ownerReferences = [
        { apiVersion: "v1", kind: "ConfigMap", name: "never", uid: "11111111-1111-1111-1111-111111111111" },
      ];
      await at().create("configmaps", { metadata: { name: "stray", ownerReferences } });
      await gone(at(), "stray");
    });

    test("an owner of the same name with another uid is not the owner", async (context) => {
      needsControllers(context, target());
      await at().create("configmaps", { metadata: { name: "namesake" } });
      const ownerReferences = [
        { apiVersion: "v1", kind: "ConfigMap", name: "namesake", uid: "22222222-2222-2222-2222-222222222222" },
      ];
      await at().create("configmaps", { metadata: { name: "mistaken", ownerReferences } });
      await gone(at(), "mistaken");
      await at().get("configmaps", "namesake");
    });
  });

  describe("ownerReferences", () => {
    const at = scopeOf(target);

    test.each([
      ["apiVersion", "version must not be empty"],
      ["kind", "must not be empty"],
      ["name", "must not be empty"],
      ["uid", "must not be empty"],
    ])("without %s are refused", async (field, message) => {
      const reference = { apiVersion: "v1", kind: "ConfigMap", name: "a", uid: "u", [field]: "" };
      const metadata = { name: "incomplete", ownerReferences: [reference] };
      const { code, body } = await at().rest("POST", at().path("configmaps"), { metadata });
      expect(code).toBe(422);
      expect(body.message).toContain(`metadata.ownerReferences.${field}: Invalid value: "": ${message}`);
    });

    test("name one controller at most", async () => {
      const reference = { apiVersion: "v1", kind: "ConfigMap", name: "a", controller: true };
      const ownerReferences = [
        { ...reference, uid: "u1" },
        { ...reference, uid: "u2" },
      ];
      const { code, body } = await at().rest("POST", at().path("configmaps"), {
        metadata: { name: "two", ownerReferences },
      });
      expect(code).toBe(422);
      expect(body.message).toContain("Only one reference can have Controller set to true");
    });
  });
}

async function family(scope: Scope, name: string, finalizers: string[] = []) {
  const owner = await scope.create("configmaps", { metadata: { name } });
  const reference = { ...referenceTo(owner), blockOwnerDeletion: true };
  const owned = `${name}-owned`;
  await scope.create("configmaps", { metadata: { name: owned, finalizers, ownerReferences: [reference] } });
  return { owner: name, owned };
}

function referenceTo({ metadata }: KubeObject) {
  return { apiVersion: "v1", kind: "ConfigMap", name: metadata?.name, uid: metadata?.uid };
}

function remove(scope: Scope, name: string, propagationPolicy: string) {
  return scope.rest("DELETE", scope.path("configmaps", name), { propagationPolicy });
}

async function gone(scope: Scope, name: string): Promise<void> {
  const absent = async () => (await scope.rest("GET", scope.path("configmaps", name))).code === 404;
  await until(absent, { what: `${name} to be gone`, timeoutMs: 40_000 });
}
