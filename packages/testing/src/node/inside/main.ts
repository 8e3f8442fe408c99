import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { serveTunnel } from "../tunnel.ts";
import { nodeAddresses } from "./addresses.ts";
import { setUpNetwork } from "./network-namespace.ts";
import type { Order, Ready } from "./order.ts";
import { coverMachine } from "./private-files.ts";
import { startCluster } from "./start.ts";

// Runs in new namespaces, which ../real-node.ts makes: everything that it starts ends with them. Prints a line of JSON
// when all is ready; then reads paths of image archives to load, one per line, and answers each with a line.
const order = JSON.parse(await readFile(process.argv[2] ?? "", "utf8")) as Order;
await coverMachine(order.directory);
await setUpNetwork(nodeAddresses(order.nodes));
const { plane, containerds, seconds } = await startCluster(order);
await serveTunnel(order.tunnel);
const { version, server, ca, admin } = plane.facts;
const ready: Ready = {
  version,
  server: new URL(server).host,
  ca,
  ...admin,
  nodes: nodeAddresses(order.nodes).map(({ name }) => name),
  seconds,
};
process.stdout.write(`${JSON.stringify(ready)}\n`);

for await (const archive of createInterface(process.stdin)) {
  await Promise.all(containerds.map((containerd) => containerd.load(archive)));
  process.stdout.write(`${JSON.stringify({ loaded: archive })}\n`);
}
// The starting process closed the pipe, or was killed.
process.exit();
