/** The rooms under src/, and which others each may import from. The picture is in docs/architecture.md. */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  api: [],
  etcd: [],
  kubernetes: [],
  objects: ["api", "kubernetes"],
  objectstore: [],
  transfer: ["api", "etcd", "kubernetes", "objects", "objectstore"],
  observability: [],
  controller: ["kubernetes", "observability"],
  cluster: ["api", "etcd", "kubernetes", "objects", "objectstore", "transfer", "observability", "controller"],
  backup: ["api", "etcd", "kubernetes", "objects", "objectstore", "transfer", "observability", "controller"],
  restore: ["api", "etcd", "kubernetes", "objects", "objectstore", "transfer", "observability", "controller"],
  operator: [
    "api",
    "etcd",
    "kubernetes",
    "objects",
    "objectstore",
    "transfer",
    "observability",
    "controller",
    "cluster",
    "backup",
    "restore",
  ],
  local: ["etcd", "kubernetes", "observability", "controller"],
  dashboard: ["api", "etcd", "kubernetes", "observability"],
  cli: [
    "api",
    "etcd",
    "kubernetes",
    "objects",
    "objectstore",
    "transfer",
    "observability",
    "operator",
    "local",
    "dashboard",
  ],
};

/** Files that decide and never act: no async, no clock, no randomness, no I/O. */
export const PURE = [
  /^src\/(cluster|backup|restore)\/(action|events|fate|members|observation|plan|quorum|situation|status|versions)\.ts$/,
  /^src\/(cluster|backup|restore)\/(rules|objects|status)\//,
  /^src\/api\//,
];
