import { describe, expect, test } from "vitest";
import { errorOfAnswer } from "../requests/answer-error.ts";
import { LONGEST_MESSAGE_BYTES, plainMessage } from "./plain-message.ts";
import { refusalInWords } from "./refusal-in-words.ts";

const OPERATION = "POST /api/v1/namespaces/shop/pods";

/** What kube-apiserver says, word for word, and what to do. */
const cases: readonly (readonly [what: string, said: string, cause: string, remedy: string])[] = [
  [
    "a ResourceQuota that is used up",
    'pods "a-1" is forbidden: exceeded quota: small, requested: pods=1, used: pods=3, limited: pods=3',
    "exceeded quota: small, requested: pods=1, used: pods=3, limited: pods=3",
    "Raise ResourceQuota 'small', or remove what it counts",
  ],
  [
    "a ResourceQuota for claims",
    'persistentvolumeclaims "a-1" is forbidden: exceeded quota: disks, requested: requests.storage=10Gi, used: requests.storage=20Gi, limited: requests.storage=25Gi',
    "exceeded quota: disks, requested: requests.storage=10Gi",
    "Raise ResourceQuota 'disks', or remove what it counts",
  ],
  [
    "a ResourceQuota that wants limits",
    'pods "a-1" is forbidden: failed quota: compute: must specify limits.cpu for: etcd,guard; limits.memory for: etcd',
    "failed quota: compute: must specify limits.cpu for: etcd,guard",
    "Set limits.cpu in spec.pod.resources, or give the namespace a LimitRange with defaults, as ResourceQuota 'compute' asks for them",
  ],
  [
    "a LimitRange's maximum",
    'pods "a-1" is forbidden: maximum memory usage per Container is 100Mi, but limit is 2Gi',
    "maximum memory usage per Container is 100Mi, but limit is 2Gi",
    "Change spec.pod.resources, or the LimitRange of the namespace",
  ],
  [
    "a LimitRange's minimum, twice",
    'pods "a-1" is forbidden: [minimum cpu usage per Container is 1, but request is 100m, minimum memory usage per Container is 1Gi, but request is 64Mi]',
    "minimum cpu usage per Container is 1, but request is 100m",
    "Change spec.pod.resources, or the LimitRange of the namespace",
  ],
  [
    "a LimitRange for claims",
    'persistentvolumeclaims "a-1" is forbidden: maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 10Gi',
    "maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 10Gi",
    "Change spec.pod.persistentVolumeClaimSpec.resources, or the LimitRange of the namespace",
  ],
  [
    "a PriorityClass that is missing",
    'pods "a-1" is forbidden: no PriorityClass with name urgent was found',
    "no PriorityClass with name urgent was found",
    "Create PriorityClass 'urgent', or correct spec.pod.priorityClassName",
  ],
  [
    "a Pod Security level",
    'pods "a-1" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true (pod must not set securityContext.runAsNonRoot=false), runAsUser=0 (pod must not set runAsUser=0)',
    'violates PodSecurity "restricted:latest": runAsNonRoot != true',
    "Correct spec.pod.securityContext so that it fits level 'restricted', or change the namespace's label pod-security.kubernetes.io/enforce",
  ],
  [
    "OpenShift's constraints",
    'pods "a-1" is forbidden: unable to validate against any security context constraint: [provider "anyuid": Forbidden: not usable by user or serviceaccount, provider restricted-v2: .spec.securityContext.fsGroup: Invalid value: []int64{9000}: 9000 is not an allowed group]',
    "unable to validate against any security context constraint",
    "Leave user and group to the platform (spec.pod.securityContext: {}), or let the pods' ServiceAccount use another SecurityContextConstraints",
  ],
  [
    "a ServiceAccount that is missing",
    'pods "a-1" is forbidden: error looking up service account shop/etcd: serviceaccount "etcd" not found',
    'serviceaccount "etcd" not found',
    "Create ServiceAccount 'etcd', or correct spec.pod.serviceAccountName",
  ],
  [
    "a policy behind a webhook",
    'admission webhook "validate.kyverno.svc-fail" denied the request: \n\nresource Pod/shop/a-1 was blocked due to the following policies\n\nrequire-labels: {}',
    'admission webhook "validate.kyverno.svc-fail" denied the request',
    "Change the spec so that the policy behind webhook 'validate.kyverno.svc-fail' allows it, or the policy",
  ],
  [
    "a ValidatingAdmissionPolicy",
    "pods \"a-1\" is forbidden: ValidatingAdmissionPolicy 'demo' with binding 'demo-binding' denied request: failed expression: object.spec.replicas <= 5",
    "denied request: failed expression",
    "Change the spec so that ValidatingAdmissionPolicy 'demo' allows it, or the policy",
  ],
  [
    "a right that the operator lacks",
    'pods is forbidden: User "system:serviceaccount:etcd:etcd-operator" cannot create resource "pods" in API group "" in the namespace "shop"',
    'cannot create resource "pods"',
    "Let 'system:serviceaccount:etcd:etcd-operator' create pods: install the operator's role as it is in this release",
  ],
  [
    "a namespace that goes",
    'pods "a-1" is forbidden: unable to create new content in namespace shop because it is being terminated',
    "because it is being terminated",
    "The namespace is being deleted: nothing is created in it any more",
  ],
];

describe("what Kubernetes says when it refuses an object", () => {
  test.each(cases)("of %s names the cause in its own words, and what to do", (_, said, cause, remedy) => {
    const status = { kind: "Status", status: "Failure", reason: "Forbidden", message: said, code: 403 };
    const words = plainMessage(refusalInWords(errorOfAnswer(OPERATION, 403, JSON.stringify(status))));
    expect(words).toContain(cause);
    expect(words.endsWith(`. ${remedy}`)).toBe(true);
    expect(words).not.toContain("/api/v1");
    expect(Buffer.byteLength(words)).toBeLessThanOrEqual(LONGEST_MESSAGE_BYTES);
  });

  test("keeps what to do where its own words are long", () => {
    const said = `pods "a-1" is forbidden: violates PodSecurity "restricted:latest": ${"unrestricted capabilities, ".repeat(100)}`;
    const status = { kind: "Status", reason: "Forbidden", message: said, code: 403 };
    const words = plainMessage(refusalInWords(errorOfAnswer(OPERATION, 403, JSON.stringify(status))));
    expect(words).toMatch(/… \(cut\)\. Correct spec\.pod\.securityContext/);
  });

  test("is left as it is when it is not known, or is no refusal", () => {
    const conflict = errorOfAnswer(OPERATION, 409, JSON.stringify({ kind: "Status", message: "exceeded quota: a" }));
    const other = errorOfAnswer(OPERATION, 403, JSON.stringify({ kind: "Status", message: "no" }));
    expect([conflict, other, new Error("oops"), "text"].map(refusalInWords)).toEqual([
      conflict.message,
      other.message,
      "oops",
      "text",
    ]);
  });
});
