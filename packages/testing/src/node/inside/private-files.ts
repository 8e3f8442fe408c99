import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runCommandOrThrow } from "../../process/run-command.ts";

// What a kubelet wants, and would set for the entire machine. It leaves alone what is so already.
const SYSCTLS = {
  "vm/overcommit_memory": "1",
  "vm/panic_on_oom": "0",
  "kernel/panic": "10",
  "kernel/panic_on_oops": "1",
  "kernel/keys/root_maxkeys": "1000000",
  "kernel/keys/root_maxbytes": "25000000",
};

/**
 * Covers the places of the machine that containerd, CNI plugins and kubelets write to by fixed paths, in the new mount
 * namespace that this process is in: the machine keeps its own files, and nothing of ours is left there.
 */
export async function coverMachine(directory: string): Promise<void> {
  await mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", "/run");
  for (const place of ["/var/lib", "/var/log"]) await overlay(place, join(directory, "machine", place));
  for (const [name, value] of Object.entries(SYSCTLS)) {
    const file = join(directory, "machine", name.replaceAll("/", "."));
    await writeFile(file, `${value}\n`);
    await mount("--bind", file, `/proc/sys/${name}`);
  }
}

async function overlay(place: string, folder: string): Promise<void> {
  const [upper, work] = [join(folder, "upper"), join(folder, "work")];
  for (const each of [upper, work]) await mkdir(each, { recursive: true });
  await mount("-t", "overlay", "-o", `lowerdir=${place},upperdir=${upper},workdir=${work}`, "overlay", place);
}

async function mount(...args: string[]): Promise<void> {
  await runCommandOrThrow("mount", args);
}
