import type { Pod } from "kubernetes-types/core/v1.d.ts";

/**
 * Whether a member serves TLS to its clients. Its own command decides: the spec may have changed since it was
 * started.
 */
export function servesTls({ spec }: Pod): boolean {
  const { command = [], args = [] } = spec?.containers.find(({ name }) => name === "etcd") ?? {};
  return /(?:^|\s)--listen-client-urls[=\s]\s*\S*https:/.test([...command, ...args].join(" "));
}
