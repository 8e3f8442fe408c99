import { beforeAll } from "vitest";
import { accessCases } from "./cases/access.cases.ts";
import { accessReviewCases } from "./cases/access-review.cases.ts";
import { authorizationCases } from "./cases/authorization.cases.ts";
import { claimUpdateCases } from "./cases/claim-update.cases.ts";
import { connectionCases } from "./cases/connections.cases.ts";
import { crdDefinitionCases } from "./cases/crd-definition.cases.ts";
import { crdDiscoveryCases } from "./cases/crd-discovery.cases.ts";
import { crdPruningCases } from "./cases/crd-pruning.cases.ts";
import { crdRuleCases } from "./cases/crd-rules.cases.ts";
import { crdSubresourceCases } from "./cases/crd-subresources.cases.ts";
import { crdTableCases } from "./cases/crd-table.cases.ts";
import { crdValidationCases } from "./cases/crd-validation.cases.ts";
import { createCases } from "./cases/create.cases.ts";
import { deleteCases } from "./cases/delete.cases.ts";
import { discoveryCases } from "./cases/discovery.cases.ts";
import { dryRunCases } from "./cases/dry-run.cases.ts";
import { errorCases } from "./cases/errors.cases.ts";
import { evictionCases } from "./cases/eviction.cases.ts";
import { garbageCollectionCases } from "./cases/garbage-collection.cases.ts";
import { historyCases } from "./cases/history.cases.ts";
import { identityCases } from "./cases/identity.cases.ts";
import { impersonationCases } from "./cases/impersonation.cases.ts";
import { jobCases } from "./cases/jobs.cases.ts";
import { kubectlApplyCases } from "./cases/kubectl-apply.cases.ts";
import { kubectlCustomCases } from "./cases/kubectl-custom.cases.ts";
import { kubectlReadCases } from "./cases/kubectl-read.cases.ts";
import { kubectlWriteCases } from "./cases/kubectl-write.cases.ts";
import { listCases } from "./cases/list.cases.ts";
import { listOrderCases } from "./cases/list-orders.cases.ts";
import { namespaceCases } from "./cases/namespaces.cases.ts";
import { nodeCases } from "./cases/nodes.cases.ts";
import { oddBodyCases } from "./cases/odd-bodies.cases.ts";
import { oddKeyCases } from "./cases/odd-keys.cases.ts";
import { oddRequestCases } from "./cases/odd-requests.cases.ts";
import { openApiCases } from "./cases/openapi.cases.ts";
import { parallelWriteCases } from "./cases/parallel-writes.cases.ts";
import { patchCases } from "./cases/patch.cases.ts";
import { patchRefusalCases } from "./cases/patch-refusals.cases.ts";
import { podDefaultCases } from "./cases/pod-defaults.cases.ts";
import { podLifecycleCases } from "./cases/pod-lifecycle.cases.ts";
import { podUpdateCases } from "./cases/pod-update.cases.ts";
import { reviewBodyCases } from "./cases/review-bodies.cases.ts";
import { roleWriteCases } from "./cases/role-writes.cases.ts";
import { scaleCases } from "./cases/scales.cases.ts";
import { seededCases } from "./cases/seeded.cases.ts";
import { serviceCases } from "./cases/services.cases.ts";
import { smallWriteCases } from "./cases/small-writes.cases.ts";
import { storedKindCases } from "./cases/stored-kinds.cases.ts";
import { strategicMergeCases } from "./cases/strategic-merge.cases.ts";
import { tableCases } from "./cases/table.cases.ts";
import { updateCases } from "./cases/update.cases.ts";
import { watchCases } from "./cases/watch.cases.ts";
import { watchPathCases } from "./cases/watch-paths.cases.ts";
import { workloadValidationCases } from "./cases/workload-validation.cases.ts";
import { workloadCases } from "./cases/workloads.cases.ts";
import { defineCustomKinds } from "./custom-kind.ts";
import type { ConformanceTarget } from "./target.ts";

const groups: readonly ((target: () => ConformanceTarget) => void)[] = [
  accessCases,
  identityCases,
  impersonationCases,
  authorizationCases,
  accessReviewCases,
  reviewBodyCases,
  roleWriteCases,
  smallWriteCases,
  discoveryCases,
  connectionCases,
  openApiCases,
  createCases,
  listCases,
  tableCases,
  watchCases,
  watchPathCases,
  updateCases,
  patchCases,
  parallelWriteCases,
  patchRefusalCases,
  strategicMergeCases,
  listOrderCases,
  scaleCases,
  seededCases,
  deleteCases,
  dryRunCases,
  errorCases,
  oddBodyCases,
  oddRequestCases,
  oddKeyCases,
  storedKindCases,
  podDefaultCases,
  podLifecycleCases,
  podUpdateCases,
  evictionCases,
  nodeCases,
  claimUpdateCases,
  serviceCases,
  namespaceCases,
  garbageCollectionCases,
  workloadCases,
  workloadValidationCases,
  jobCases,
  crdDefinitionCases,
  crdDiscoveryCases,
  crdValidationCases,
  crdRuleCases,
  crdPruningCases,
  crdSubresourceCases,
  crdTableCases,
  historyCases,
  kubectlReadCases,
  kubectlWriteCases,
  kubectlApplyCases,
  kubectlCustomCases,
];

/** Registers every case for one API server. What a real kube-apiserver answers is right. */
export function conformance(target: () => ConformanceTarget): void {
  beforeAll(() => defineCustomKinds(target()));
  for (const register of groups) register(target);
}
