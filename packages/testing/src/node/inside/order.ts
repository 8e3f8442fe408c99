/** What is to be started inside; in a file, because it crosses from one process to another. */
export interface Order {
  /** For everything that is written, on a file system that overlayfs can have its upper layer on. */
  readonly directory: string;
  /** Path of the socket that leads inside. */
  readonly tunnel: string;
  /** In each hierarchy of cgroups, such as "/real-node-1a2b3c". */
  readonly cgroup: string;
  readonly nodes: number;
}

/** What is reported once all nodes are ready. */
export interface Ready {
  readonly version: string;
  /** Of the API server, inside: "127.0.0.1:6443". */
  readonly server: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  readonly nodes: readonly string[];
  readonly seconds: Readonly<Record<string, number>>;
}
