import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { ETCD_CONTAINER } from "../objects/pod.ts";

/** Whether a member speaks TLS to its clients. Its own command tells: the spec may have changed since it was started. */
export function servesTls({ spec }: Pod): boolean {
  const { command = [], args = [] } = spec?.containers.find(({ name }) => name === ETCD_CONTAINER) ?? {};
  return /(?:^|\s)--listen-client-urls[=\s]\s*\S*https:/.test([...command, ...args].join(" "));
}
