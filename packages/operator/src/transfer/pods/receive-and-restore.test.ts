import { parseVersion, type Version } from "@etcd-operator/etcd-client";
import { restrictedPod } from "@etcd-operator/kubernetes-client/pods/restricted-security.ts";
import { describe, expect, test } from "vitest";
import { restrictedViolations } from "../../../../../test/manifests/restricted-profile.ts";
import { RESTORE_ONCE, RESTORED, TRANSFER_PORT } from "../names.ts";
import { type Restoring, receiveContainer, restoreContainer, restoreVolumes } from "./receive-and-restore.ts";

const surroundings = { dataDir: "/var/etcd/data", dataMount: { name: "etcd-data", mountPath: "/var/etcd" } };

describe("the tool that restores", () => {
  test("gets the member's identity, and whether it still has to", () => {
    expect(restoring("3.3.25").command).toEqual([
      "/usr/local/bin/etcdctl",
      "snapshot",
      "restore",
      "/var/etcd-snapshot/snapshot.db",
      "--name=example-a",
      "--initial-cluster=example-a=https://example-a.example.prod.svc:2380",
      "--initial-cluster-token=uid-1-2",
      "--initial-advertise-peer-urls=https://example-a.example.prod.svc:2380",
      "--data-dir=/var/etcd/data",
      "$(RESTORE_ONCE)",
    ]);
  });

  test.each([
    ["3.2.13", "etcdctl", false],
    ["3.4.26", "etcdctl", false],
    ["3.4.27", "etcdctl", true],
    ["3.5.9", "etcdutl", false],
    ["3.5.10", "etcdutl", true],
    ["3.6.0", "etcdutl", true],
    ["3.7.0", "etcdutl", true],
  ])("of %s is %s, and raises the revision: %s", (version, tool, bumps) => {
    const { command = [], env = [] } = restoring(version);
    expect(command[0]).toBe(`/usr/local/bin/${tool}`);
    expect(command.includes("--bump-revision=1000")).toBe(bumps);
    expect(command.includes("--mark-compacted")).toBe(bumps);
    expect(env.some(({ name, value }) => name === "ETCDCTL_API" && value === "3")).toBe(tool === "etcdctl");
    expect(command.at(-1)).toBe("$(RESTORE_ONCE)");
  });

  test("leaves the revision alone when asked to", () => {
    const { command = [] } = restoring("3.6.0", { revisionBump: 0 });
    expect(command.filter((word) => /bump|compacted/.test(word))).toEqual([]);
  });

  test("reads what it has to do from the pod whenever it starts", () => {
    const [annotation] = Object.keys(RESTORE_ONCE);
    expect(Object.keys(RESTORED)).toEqual([annotation]);
    for (const { env = [] } of [restoring("3.6.0"), receiveContainer({ image: "own", ...surroundings })]) {
      const variable = env.find(({ name }) => name === "RESTORE_ONCE");
      expect(variable?.valueFrom?.fieldRef?.fieldPath).toBe(`metadata.annotations['${annotation}']`);
    }
  });
});

test("the one that receives listens where nothing of etcd does, and brings no secret along", () => {
  const { ports, volumeMounts = [], ...container } = receiveContainer({ image: "own", ...surroundings });
  expect(ports?.map(({ containerPort }) => containerPort)).toEqual([TRANSFER_PORT]);
  expect([2379, 2380, 2381]).not.toContain(TRANSFER_PORT);
  expect(JSON.stringify(container)).not.toMatch(/token|tls\./);
  const volumes = [surroundings.dataMount.name, ...restoreVolumes("example-a").map(({ name }) => name)];
  expect(volumeMounts.map(({ name }) => name).toSorted()).toEqual(volumes.toSorted());
});

test("both fit into what Kubernetes' restricted profile allows", () => {
  const resources = { requests: { cpu: "1", memory: "1Gi" }, limits: { memory: "1Gi" } };
  const receive = receiveContainer({ image: "own", ...surroundings, resources });
  const [restore, volumes] = [restoring("3.6.0", { resources }), restoreVolumes("example-a")];
  const pod = { securityContext: restrictedPod, initContainers: [receive, restore], containers: [], volumes };
  expect(restrictedViolations(pod)).toEqual([]);
});

test("both take over what the user asks of the pod", () => {
  const asked = { imagePullPolicy: "Always", securityContext: { allowPrivilegeEscalation: false } };
  expect(restoring("3.6.0", asked)).toMatchObject(asked);
  expect(receiveContainer({ image: "own", ...surroundings, ...asked })).toMatchObject(asked);
  expect(restoring("3.6.0")).not.toHaveProperty("imagePullPolicy");
});

function restoring(version: string, more: Partial<Restoring> = {}) {
  return restoreContainer({
    etcdImage: `etcd:v${version}`,
    version: parseVersion(version) as Version,
    member: "example-a",
    peerUrl: "https://example-a.example.prod.svc:2380",
    token: "uid-1-2",
    revisionBump: 1_000,
    ...surroundings,
    ...more,
  });
}
