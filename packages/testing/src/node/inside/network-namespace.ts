import { writeFile } from "node:fs/promises";
import { changeLinks } from "@etcd-operator/local-kubernetes/network/ip-command.ts";
import { NODES_LINK, type NodeAddress, POD_CIDR, SERVICE_CIDR } from "./addresses.ts";

/**
 * Sets up the new network namespace that this process is in: a link with the addresses of the nodes, and no default
 * route, so that no packet leaves whatever a pod, a Service without endpoints or a freed address is asked for.
 */
export async function setUpNetwork(nodes: readonly NodeAddress[]): Promise<void> {
  const addresses = nodes.map(({ ip }) => `address add ${ip}/32 dev ${NODES_LINK}`);
  const commands = [
    "link set lo up",
    // A bridge without ports: any kernel has it, unlike the dummy device.
    `link add ${NODES_LINK} type bridge`,
    `link set ${NODES_LINK} up`,
    ...addresses,
    `route add unreachable ${POD_CIDR}`,
    // Only so that a packet gets as far as the rules of kube-proxy, which give it the address of a pod.
    `route add ${SERVICE_CIDR} dev ${NODES_LINK}`,
  ];
  await changeLinks(commands, { operation: "set up the network of the nodes" });
  await writeFile("/proc/sys/net/ipv4/ip_forward", "1");
}
