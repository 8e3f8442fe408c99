import type { Pod, Taint } from "kubernetes-types/core/v1.d.ts";
import { tolerates } from "../scheduling/taints.ts";

/** How long a pod may stay on a node with these taints that evict; undefined for as long as it likes. */
export function toleratedMs({ spec }: Pod, taints: readonly Taint[]): number | undefined {
  const seconds: number[] = [];
  for (const taint of taints.filter(({ effect }) => effect === "NoExecute")) {
    const used = (spec?.tolerations ?? []).filter((toleration) => tolerates(toleration, taint));
    if (used.length === 0) return 0;
    seconds.push(...used.flatMap(({ tolerationSeconds }) => tolerationSeconds ?? []));
  }
  return seconds.length === 0 ? undefined : Math.max(0, Math.min(...seconds)) * 1000;
}
