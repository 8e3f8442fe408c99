import { until } from "@etcd-operator/testing/until.ts";
import { describe, expect, type TestContext, test } from "vitest";
import { expectCode, needsControllers, scopeOf } from "../../scope.ts";
import type { Answer, ConformanceTarget } from "../../target.ts";

const classes = "/apis/storage.k8s.io/v1/storageclasses";
const volumes = "/api/v1/persistentvolumes";
const isFixed = "spec: Forbidden: spec is immutable after creation except resources.requests";
// No provisioner serves this class, on any server.
const provisioner = "example.com/none";

export function claimUpdateCases(target: () => ConformanceTarget): void {
  describe("a claim that is changed", () => {
    const at = scopeOf(target);
    const spec = (storageClassName: string) => ({
      ...{ storageClassName, accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    });
    const change = (name: string, more: object) =>
      at().rest("PATCH", at().path("persistentvolumeclaims", name), { spec: more });
    const resize = (name: string, storage: string) => change(name, { resources: { requests: { storage } } });

    function isRefused({ code, body }: Answer, message: string): void {
      expect(code).toBe(422);
      expect(body.reason).toBe("Invalid");
      expect(body.message).toContain(message);
    }

    /** A claim with a volume of a class that lets volumes grow, or not. */
    async function bound(context: TestContext, name: string, allowVolumeExpansion: boolean): Promise<void> {
      needsControllers(context, target());
      const unique = `${name}-${at().namespace}`;
      expectCode(
        201,
        await at().rest("POST", classes, { metadata: { name: unique }, provisioner, allowVolumeExpansion }),
      );
      const { resources: _, ...shared } = spec(unique);
      const claimRef = { namespace: at().namespace, name };
      const volume = { ...shared, capacity: { storage: "1Gi" }, claimRef, hostPath: { path: "/tmp/none" } };
      expectCode(201, await at().rest("POST", volumes, { metadata: { name: unique }, spec: volume }));
      await phaseIs(`${volumes}/${unique}`, "Available");
      await at().create("persistentvolumeclaims", { metadata: { name }, spec: spec(unique) });
      await phaseIs(at().path("persistentvolumeclaims", name), "Bound");
    }

    async function phaseIs(path: string, phase: string): Promise<void> {
      const look = async () => ((await at().rest("GET", path)).body.status as { phase?: string }).phase === phase;
      await until(look, { what: `${path} to be ${phase}`, timeoutMs: 40_000 });
    }

    test("may ask for more when its class allows that, and for less as long as that is more than it has", async (context) => {
      await bound(context, "grows", true);
      const larger = expectCode(200, await resize("grows", "2Gi"));
      expect(larger).toMatchObject({
        spec: { resources: { requests: { storage: "2Gi" } } },
        status: { phase: "Bound" },
      });
      expectCode(200, await resize("grows", "1.5Gi"));
      const message = "spec.resources.requests.storage: Forbidden: field can not be less than status.capacity";
      isRefused(await resize("grows", "1Gi"), message);
      isRefused(await resize("grows", "512Mi"), message);
      isRefused(await resize("grows", "0"), 'spec.resources[storage]: Invalid value: "0": must be greater than zero');
      isRefused(await change("grows", { resources: { limits: { storage: "9Gi" } } }), isFixed);
      isRefused(await change("grows", { accessModes: ["ReadOnlyMany"] }), isFixed);
      isRefused(await change("grows", { storageClassName: "other" }), isFixed);
    });

    test("may not ask for more when its class does not allow that", async (context) => {
      await bound(context, "fixed", false);
      const { code, body } = await resize("fixed", "2Gi");
      expect(code).toBe(403);
      expect(body).toMatchObject({
        reason: "Forbidden",
        message:
          'persistentvolumeclaims "fixed" is forbidden: only dynamically provisioned pvc can be resized and ' +
          "the storageclass that provisions the pvc must support resize",
        details: { name: "fixed", kind: "persistentvolumeclaims" },
      });
      expectCode(200, await resize("fixed", "1024Mi"));
    });

    test("that has no volume keeps its size", async () => {
      await at().create("persistentvolumeclaims", { metadata: { name: "unbound" }, spec: spec("none") });
      isRefused(await resize("unbound", "2Gi"), isFixed);
      isRefused(await resize("unbound", "512Mi"), isFixed);
    });
  });

  describe("a StorageClass that is changed", () => {
    const at = scopeOf(target);

    test("may begin and cease to let volumes grow, and keeps the rest", async () => {
      const path = `${classes}/changed-${at().namespace}`;
      const metadata = { name: `changed-${at().namespace}` };
      expectCode(201, await at().rest("POST", classes, { metadata, provisioner }));
      for (const allowVolumeExpansion of [true, false]) {
        expect(expectCode(200, await at().rest("PATCH", path, { allowVolumeExpansion }))).toMatchObject({
          allowVolumeExpansion,
        });
      }
      const { code, body } = await at().rest("PATCH", path, { reclaimPolicy: "Retain" });
      expect(code).toBe(422);
      expect(body.message).toContain("reclaimPolicy: Forbidden: updates to reclaimPolicy are forbidden.");
      await at().rest("DELETE", path);
    });
  });
}
