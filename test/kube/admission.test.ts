import assert from "node:assert/strict";
import { API_VERSION } from "@etcd-operator/operator/api/group.ts";
import { kinds } from "@etcd-operator/operator/api/kinds.ts";
import { applyCrds } from "@etcd-operator/testing/kube/control-plane/crds.ts";
import { injectedKube } from "@etcd-operator/testing/kube/injected.ts";
import type { KubeObject, Rest } from "@etcd-operator/testing/kube/rest.ts";
import { beforeAll, describe, test } from "vitest";
import type { AdmissionCase, Resource } from "../admission/admission-case.ts";
import { backupCases } from "../admission/backup.cases.ts";
import { clusterCases } from "../admission/cluster.cases.ts";

const kube = injectedKube();
let rest: Rest;

beforeAll(async () => {
  await applyCrds(kube);
  rest = await kube.rest();
});

describe("a real API server admits and refuses as our code does", () => {
  for (const given of [...clusterCases, ...backupCases]) {
    const isRefused = given.refused !== undefined && !given.refused.inCodeOnly;
    test(`${given.name} is ${isRefused ? "refused" : "allowed"}`, async () => {
      const { code, text, body } = await submit(given);
      if (!isRefused) return assert.ok(code === 200 || code === 201, text);
      assert.equal(code, 422, text);
      const message = String(body.message);
      for (const part of [given.refused.field, given.refused.value, given.refused.remedy]) {
        // The API server escapes the value it shows, so search for the value in the same spelling.
        assert.ok(
          message.includes(part) || message.includes(JSON.stringify(part).slice(1, -1)),
          `no "${part}" in: ${message}`,
        );
      }
    });
  }
});

async function submit({ kind, object, previous, isFromBefore }: AdmissionCase) {
  const namespace = previous ? await kube.freshNamespace() : "default";
  const path = `/apis/${API_VERSION}/namespaces/${namespace}/${kinds[kind].plural}`;
  if (!previous) return rest("POST", `${path}?dryRun=All`, resource(kind, object));
  const stored = await (isFromBefore ? storePast : store)(path, resource(kind, previous));
  return rest("PUT", `${path}/${object.metadata.name}`, {
    ...stored,
    spec: object.spec,
  });
}

/** Past the API server, as what is in its etcd since before a rule existed. */
async function storePast(path: string, object: KubeObject): Promise<KubeObject> {
  const [, , group, , , namespace = "", plural] = path.split("/");
  const { name } = object.metadata ?? {};
  const metadata = { ...object.metadata, namespace, generation: 1 };
  await kube.putStored(`/registry/${group}/${plural}/${namespace}/${name}`, { ...object, metadata });
  const { code, text, body } = await rest("GET", `${path}/${name}`);
  assert.equal(code, 200, text);
  return body;
}

async function store(path: string, object: KubeObject): Promise<KubeObject> {
  const created = await rest("POST", path, object);
  assert.equal(created.code, 201, created.text);
  if (!object.status) return created.body;
  const reported = await rest("PUT", `${path}/${object.metadata?.name}/status`, {
    ...created.body,
    status: object.status,
  });
  assert.equal(reported.code, 200, reported.text);
  return reported.body;
}

function resource(kind: string, { metadata, spec, status }: Resource): KubeObject {
  return { apiVersion: API_VERSION, kind, metadata: { ...metadata }, spec, ...(status && { status }) };
}
