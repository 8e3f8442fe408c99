import { startControlPlane } from "./control-plane.ts";

// Prints where the control plane is, as one line of JSON, and keeps it until SIGTERM or SIGINT.
const controlPlane = await startControlPlane();
process.once("SIGTERM", controlPlane.stop);
process.once("SIGINT", controlPlane.stop);
process.stdout.write(`${JSON.stringify(controlPlane.facts)}\n`);
