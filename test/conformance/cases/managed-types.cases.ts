import { describe, expect, test } from "vitest";
import { managersOf } from "../managed-fields.ts";
import { expectCode, needs, scopeOf } from "../scope.ts";
import type { ConformanceTarget, KubeObject } from "../target.ts";

const labels = { ".": {}, "f:app": {} };
const container = {
  ".": {},
  "f:image": {},
  "f:imagePullPolicy": {},
  "f:name": {},
  "f:resources": {},
  "f:terminationMessagePath": {},
  "f:terminationMessagePolicy": {},
};

export function managedTypeCases(target: () => ConformanceTarget): void {
  describe("managed fields by type", () => {
    const at = scopeOf(target);
    const created = async (resource: string, object: KubeObject): Promise<KubeObject> => {
      const headers = { "user-agent": "creator/1.0 (x)" };
      return expectCode(201, await at().rest("POST", at().path(resource), object, { headers }));
    };

    test("of a Deployment name containers, ports and variables by their keys, and what belongs together once", async (context) => {
      needs(context, target(), "server-side apply");
      const pod = {
        containers: [
          { name: "a", image: "i", ports: [{ containerPort: 80 }], env: [{ name: "E", value: "1" }], args: ["x"] },
        ],
        nodeSelector: { disk: "none" },
        tolerations: [{ key: "k" }],
        volumes: [{ name: "v", emptyDir: {} }],
      };
      const spec = {
        replicas: 0,
        selector: { matchLabels: { app: "a" } },
        template: { metadata: { labels: { app: "a" } }, spec: pod },
      };
      const object = await created("apps/v1/deployments", { metadata: { name: "typed" }, spec });
      const port = { ".": {}, "f:containerPort": {}, "f:protocol": {} };
      const podFields = {
        "f:containers": {
          'k:{"name":"a"}': {
            ...container,
            "f:args": {},
            "f:env": { ".": {}, 'k:{"name":"E"}': { ".": {}, "f:name": {}, "f:value": {} } },
            "f:ports": { ".": {}, 'k:{"containerPort":80,"protocol":"TCP"}': port },
          },
        },
        ...{ "f:dnsPolicy": {}, "f:nodeSelector": {}, "f:restartPolicy": {}, "f:schedulerName": {} },
        ...{ "f:securityContext": {}, "f:terminationGracePeriodSeconds": {}, "f:tolerations": {} },
        "f:volumes": { ".": {}, 'k:{"name":"v"}': { ".": {}, "f:emptyDir": {}, "f:name": {} } },
      };
      const rolling = { ".": {}, "f:maxSurge": {}, "f:maxUnavailable": {} };
      expect(managersOf(object)).toEqual([
        {
          who: "creator Update",
          fields: {
            "f:spec": {
              ...{ "f:progressDeadlineSeconds": {}, "f:replicas": {}, "f:revisionHistoryLimit": {}, "f:selector": {} },
              "f:strategy": { "f:rollingUpdate": rolling, "f:type": {} },
              "f:template": { "f:metadata": { "f:labels": labels }, "f:spec": podFields },
            },
          },
        },
      ]);
    });

    test("of a Service are without the addresses that the server gave it", async (context) => {
      needs(context, target(), "server-side apply");
      const spec = { selector: { app: "a" }, ports: [{ name: "x", port: 80 }] };
      const object = await created("services", { metadata: { name: "typed" }, spec });
      const port = { ".": {}, "f:name": {}, "f:port": {}, "f:protocol": {}, "f:targetPort": {} };
      const ports = { ".": {}, 'k:{"port":80,"protocol":"TCP"}': port };
      const rest = { "f:internalTrafficPolicy": {}, "f:selector": {}, "f:sessionAffinity": {}, "f:type": {} };
      expect(managersOf(object)).toEqual([
        { who: "creator Update", fields: { "f:spec": { ...rest, "f:ports": ports } } },
      ]);
    });

    const kinds: readonly [string, KubeObject, object][] = [
      ["secrets", { stringData: { a: "b" } }, { "f:data": { ".": {}, "f:a": {} }, "f:type": {} }],
      [
        "serviceaccounts",
        { imagePullSecrets: [{ name: "x" }], secrets: [{ name: "y" }] },
        { "f:imagePullSecrets": {}, "f:secrets": { ".": {}, 'k:{"name":"y"}': {} } },
      ],
      [
        "persistentvolumeclaims",
        { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } },
        {
          "f:spec": {
            "f:accessModes": {},
            "f:resources": { "f:requests": { ".": {}, "f:storage": {} } },
            "f:volumeMode": {},
          },
        },
      ],
      [
        "coordination.k8s.io/v1/leases",
        { spec: { holderIdentity: "x", leaseDurationSeconds: 15 } },
        { "f:spec": { "f:holderIdentity": {}, "f:leaseDurationSeconds": {} } },
      ],
      [
        "policy/v1/poddisruptionbudgets",
        { spec: { minAvailable: 1, selector: { matchLabels: { a: "b" } } } },
        { "f:spec": { "f:minAvailable": {}, "f:selector": {} } },
      ],
      [
        "rbac.authorization.k8s.io/v1/roles",
        { rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] },
        { "f:rules": {} },
      ],
      [
        "discovery.k8s.io/v1/endpointslices",
        { addressType: "IPv4", endpoints: [{ addresses: ["1.2.3.4"] }], ports: [{ port: 80 }] },
        { "f:addressType": {}, "f:endpoints": {}, "f:ports": {} },
      ],
    ];
    test.each(kinds)("of %s are those that its type has", async (resource, object, fields) => {
      const made = await created(resource, { metadata: { name: "typed" }, ...object });
      if (!target().lacks.has("server-side apply"))
        expect(managersOf(made)).toEqual([{ who: "creator Update", fields }]);
    });

    test("are not the server's count of changes, which rises with annotations of a Deployment and labels of a slice", async () => {
      const template = { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "a", image: "i" }] } };
      const spec = { replicas: 0, paused: true, selector: { matchLabels: { app: "a" } }, template };
      await created("apps/v1/deployments", { metadata: { name: "counted" }, spec });
      const slice = { addressType: "IPv4", endpoints: [] };
      await created("discovery.k8s.io/v1/endpointslices", { metadata: { name: "counted" }, ...slice });
      const noted = async (resource: string, metadata: object) =>
        expectCode(200, await at().rest("PATCH", at().path(resource, "counted"), { metadata })).metadata?.generation;
      expect(await noted("apps/v1/deployments", { labels: { a: "1" } })).toBe(1);
      expect(await noted("apps/v1/deployments", { annotations: { a: "1" } })).toBe(2);
      expect(await noted("discovery.k8s.io/v1/endpointslices", { labels: { a: "1" } })).toBe(2);
    });
  });
}
