import type { NodePlace } from "../config.ts";

export const MOST_NODES = 8;

/**
 * The nodes of a local mode. The first is `local` however many there are, and no node's addresses depend on how many
 * there are: a state that is started again with more nodes finds its pods where they were.
 */
export function nodePlaces(podCidr: string, kubeletPorts: readonly number[]): readonly NodePlace[] {
  const [first, second] = podCidr.split(".");
  return kubeletPorts.map((kubeletPort, index) => ({
    nodeName: index === 0 ? "local" : `local-${index + 1}`,
    // The lower half of a /16 in eight parts; the first address of the first is the bridge's.
    nodeIp: `${first}.${second}.${index * 16}.1`,
    nodePodCidr: `${first}.${second}.${index * 16}.0/20`,
    zone: `local-${"abcdefgh"[index]}`,
    kubeletPort,
  }));
}
