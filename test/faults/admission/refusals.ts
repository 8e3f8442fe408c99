/** What the API server answers instead of writing, in its own words. */
export interface Refusal {
  readonly name: string;
  readonly code: 403 | 500;
  /** Whether it refuses a request of this kind. */
  readonly isAbout: (method: string, plural: string) => boolean;
  readonly words: (plural: string, name: string) => string;
  /** What the status of the cluster has to say of it. */
  readonly told: RegExp;
}

const creating = (kind: string) => (method: string, plural: string) => method === "POST" && plural === kind;
const writing = (method: string) => method === "POST" || method === "PATCH" || method === "PUT";

export const refusals: readonly Refusal[] = [
  {
    name: "webhook-fails",
    code: 500,
    isAbout: writing,
    words: () =>
      'Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: Post "https://policy.policy.svc:443/mutate?timeout=10s": context deadline exceeded',
    told: /policy\.example\.com/,
  },
  {
    name: "webhook-fails-for-pods",
    code: 500,
    isAbout: (method, plural) => writing(method) && plural === "pods",
    words: () =>
      'Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: Post "https://policy.policy.svc:443/mutate?timeout=10s": dial tcp 10.96.1.1:443: connect: connection refused',
    told: /policy\.example\.com/,
  },
  {
    name: "webhook-refuses",
    code: 403,
    isAbout: creating("pods"),
    words: () => 'admission webhook "policy.example.com" denied the request: image is not signed',
    told: /image is not signed/,
  },
  {
    name: "quota",
    code: 403,
    isAbout: creating("pods"),
    words: (plural, name) =>
      `${plural} "${name}" is forbidden: exceeded quota: compute, requested: pods=1, used: pods=3, limited: pods=3`,
    told: /exceeded quota: compute/,
  },
  {
    name: "limits",
    code: 403,
    isAbout: creating("pods"),
    words: (plural, name) =>
      `${plural} "${name}" is forbidden: maximum cpu usage per Container is 100m, but limit is 2`,
    told: /maximum cpu usage per Container is 100m/,
  },
  {
    name: "pod-security",
    code: 403,
    isAbout: creating("pods"),
    words: (plural, name) =>
      `${plural} "${name}" is forbidden: violates PodSecurity "restricted:latest": seccompProfile (pod or containers "etcd", "guard" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")`,
    told: /violates PodSecurity/,
  },
  {
    name: "storage-quota",
    code: 403,
    isAbout: creating("persistentvolumeclaims"),
    words: (plural, name) =>
      `${plural} "${name}" is forbidden: exceeded quota: storage, requested: requests.storage=1Gi, used: requests.storage=3Gi, limited: requests.storage=3Gi`,
    told: /exceeded quota: storage/,
  },
];
