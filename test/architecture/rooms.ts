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
  /\.(rule|status)\.ts$/,
  /^packages\/operator\/src\/cluster\/(plan|status|events|reasons)\.ts$/,
  /^packages\/operator\/src\/cluster\/(model|objects)\/(?!.*\.act\.ts$)/,
  /^packages\/operator\/src\/(backup|restore)\/(action|events|observation|plan|reasons|situation|status)\.ts$/,
  /^packages\/operator\/src\/(backup|restore)\/(rules|objects|status)\//,
  /^packages\/operator\/src\/api\//,
];
