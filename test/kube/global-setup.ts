import { startControlPlane } from "@etcd-operator/testing/kube/control-plane/control-plane.ts";
import type {} from "@etcd-operator/testing/kube/injected.ts";
import type { TestProject } from "vitest/node";

/** Runs one control plane for all test files of the project. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const started = performance.now();
  const { facts, stop } = await startControlPlane();
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const without = facts.hasControllerManager ? "" : ", without kube-controller-manager: tests that need it are skipped";
  process.stderr.write(`kube-apiserver ${facts.version} ready after ${seconds} s${without}\n`);
  project.provide("controlPlane", facts);
  return stop;
}
