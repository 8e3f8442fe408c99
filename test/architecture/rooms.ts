/**
 * The packages, and which others of ours each may import from. The picture is in docs/architecture.md. Tests, which lie
 * beside what they test, may import from all of them.
 */
export const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  "etcd-client": [],
  "kubernetes-client": [],
  "object-store": [],
  "controller-runtime": ["kubernetes-client"],
  "local-kubernetes": ["etcd-client", "kubernetes-client", "controller-runtime"],
  operator: ["etcd-client", "kubernetes-client", "object-store", "controller-runtime"],
  "local-mode": ["kubernetes-client", "local-kubernetes", "operator"],
  testing: [
    "etcd-client",
    "kubernetes-client",
    "object-store",
    "controller-runtime",
    "local-kubernetes",
    "local-mode",
    "operator",
  ],
};

/** The rooms of the operator, and which others of them each may import from. */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  api: [],
  objects: ["api"],
  context: [],
  transfer: ["api", "objects"],
  cluster: ["api", "objects", "context", "transfer"],
  backup: ["api", "objects", "context", "transfer"],
  restore: ["api", "objects", "context", "transfer"],
  process: ["api", "objects", "context", "transfer", "cluster", "backup", "restore"],
  cli: ["api", "objects", "context", "transfer", "process"],
};

/** Files that decide and never act: no async, no clock, no randomness, no I/O. */
export const PURE = [
  /\.(record|rule|status)\.ts$/,
  /^packages\/operator\/src\/cluster\/(plan|record|status|events|watched-objects)\.ts$/,
  /^packages\/operator\/src\/cluster\/(bootstrap|membership|model|objects|repair|restore|rollout|storage)\/(?!.*\.act\.ts$)/,
  /^packages\/operator\/src\/cluster\/tls\/(?!(certificate|parse-secret|read-tls-secrets|secret-(changes|reader|watches))\.ts$)/,
  /^packages\/operator\/src\/cluster\/guard\/(log-reached|variables|verdict)\.ts$/,
  /^packages\/operator\/src\/cluster\/observe\/((claim|node|pod|set-aside)-seen|own-annotations|ownership|with-version)\.ts$/,
  /^packages\/operator\/src\/cluster\/observe\/(etcd-container|lasting-conditions|pod-trouble|pods-by-owner)\.ts$/,
  /^packages\/operator\/src\/(backup|restore)\/(action|events|observation|plan|situation|status)\.ts$/,
  /^packages\/operator\/src\/(backup\/(drill-times|figures|rhythm)|restore\/(attempt|restored-loss|target))\.ts$/,
  /^packages\/operator\/src\/(backup|restore)\/(rules|objects|status)\//,
  /^packages\/operator\/src\/api\//,
];
