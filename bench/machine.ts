import { cpus, release, totalmem } from "node:os";

/** When and on what was measured, for the head of a table. */
export function machine(now: Date): string {
  const [{ model } = { model: "unknown" }, ...others] = cpus();
  const gib = Math.round(totalmem() / 2 ** 30);
  const day = now.toISOString().slice(0, 10);
  return `${day}, ${others.length + 1} cores (${model.trim()}), ${gib} GiB, Linux ${release()}, Node.js ${process.version.slice(1)}`;
}
