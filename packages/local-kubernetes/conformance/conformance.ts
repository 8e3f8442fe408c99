import { beforeAll } from "vitest";
import { accessCases } from "./cases/access/access.cases.ts";
import { accessReviewCases } from "./cases/access/access-review.cases.ts";
import { authorizationCases } from "./cases/access/authorization.cases.ts";
import { identityCases } from "./cases/access/identity.cases.ts";
import { impersonationCases } from "./cases/access/impersonation.cases.ts";
import { reviewBodyCases } from "./cases/access/review-bodies.cases.ts";
import { roleWriteCases } from "./cases/access/role-writes.cases.ts";
import { crdDefinitionCases } from "./cases/custom-resources/crd-definition.cases.ts";
import { crdDiscoveryCases } from "./cases/custom-resources/crd-discovery.cases.ts";
import { crdPruningCases } from "./cases/custom-resources/crd-pruning.cases.ts";
import { crdRuleCases } from "./cases/custom-resources/crd-rules.cases.ts";
import { crdSubresourceCases } from "./cases/custom-resources/crd-subresources.cases.ts";
import { crdTableCases } from "./cases/custom-resources/crd-table.cases.ts";
import { crdValidationCases } from "./cases/custom-resources/crd-validation.cases.ts";
import { claimUpdateCases } from "./cases/kinds/claim-update.cases.ts";
import { evictionCases } from "./cases/kinds/eviction.cases.ts";
import { garbageCollectionCases } from "./cases/kinds/garbage-collection.cases.ts";
import { jobCases } from "./cases/kinds/jobs.cases.ts";
import { namespaceCases } from "./cases/kinds/namespaces.cases.ts";
import { nodeCases } from "./cases/kinds/nodes.cases.ts";
import { podDefaultCases } from "./cases/kinds/pod-defaults.cases.ts";
import { podLifecycleCases } from "./cases/kinds/pod-lifecycle.cases.ts";
import { podUpdateCases } from "./cases/kinds/pod-update.cases.ts";
import { scaleCases } from "./cases/kinds/scales.cases.ts";
import { serviceCases } from "./cases/kinds/services.cases.ts";
import { storedKindCases } from "./cases/kinds/stored-kinds.cases.ts";
import { workloadValidationCases } from "./cases/kinds/workload-validation.cases.ts";
import { workloadCases } from "./cases/kinds/workloads.cases.ts";
import { kubectlApplyCases } from "./cases/kubectl/kubectl-apply.cases.ts";
import { kubectlCustomCases } from "./cases/kubectl/kubectl-custom.cases.ts";
import { kubectlReadCases } from "./cases/kubectl/kubectl-read.cases.ts";
import { kubectlWriteCases } from "./cases/kubectl/kubectl-write.cases.ts";
import { historyCases } from "./cases/reads/history.cases.ts";
import { listCases } from "./cases/reads/list.cases.ts";
import { watchCases } from "./cases/reads/watch.cases.ts";
import { watchPathCases } from "./cases/reads/watch-paths.cases.ts";
import { connectionCases } from "./cases/requests/connections.cases.ts";
import { discoveryCases } from "./cases/requests/discovery.cases.ts";
import { dryRunCases } from "./cases/requests/dry-run.cases.ts";
import { errorCases } from "./cases/requests/errors.cases.ts";
import { oddBodyCases } from "./cases/requests/odd-bodies.cases.ts";
import { oddKeyCases } from "./cases/requests/odd-keys.cases.ts";
import { oddRequestCases } from "./cases/requests/odd-requests.cases.ts";
import { openApiCases } from "./cases/requests/openapi.cases.ts";
import { tableCases } from "./cases/requests/table.cases.ts";
import { seededCases } from "./cases/seeded.cases.ts";
import { createCases } from "./cases/writes/create.cases.ts";
import { deleteCases } from "./cases/writes/delete.cases.ts";
import { listOrderCases } from "./cases/writes/list-orders.cases.ts";
import { parallelWriteCases } from "./cases/writes/parallel-writes.cases.ts";
import { patchCases } from "./cases/writes/patch.cases.ts";
import { patchRefusalCases } from "./cases/writes/patch-refusals.cases.ts";
import { smallWriteCases } from "./cases/writes/small-writes.cases.ts";
import { strategicMergeCases } from "./cases/writes/strategic-merge.cases.ts";
import { updateCases } from "./cases/writes/update.cases.ts";
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
