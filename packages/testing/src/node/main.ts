import { startRealNode } from "./real-node.ts";

// Prints where the cluster is, as one line of JSON, and keeps it until SIGTERM or SIGINT. NODES says how many nodes.
const node = await startRealNode({ nodes: Number(process.env.NODES ?? 1) });
process.once("SIGTERM", node.stop);
process.once("SIGINT", node.stop);
const { kubeconfig, directory, pid, cgroup, seconds } = node;
process.stdout.write(`${JSON.stringify({ kubeconfig, directory, pid, cgroup, seconds })}\n`);
