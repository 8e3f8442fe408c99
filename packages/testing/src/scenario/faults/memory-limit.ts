import { mkdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { until } from "../../until.ts";

const ROOT = "/sys/fs/cgroup/memory";

/** A limit for the memory of a process, as the kubelet sets it for a container. */
export class MemoryLimit {
  /** What this machine lacks for it. */
  static async lack(): Promise<string | undefined> {
    const probe = join(ROOT, `probe-${process.pid}`);
    try {
      await mkdir(probe);
      await rmdir(probe);
      return undefined;
    } catch {
      return "needs root and the memory controller of cgroups v1";
    }
  }

  static async of(bytes: number): Promise<MemoryLimit> {
    const limit = new MemoryLimit(join(ROOT, `etcd-operator-test-${process.pid}`));
    await mkdir(limit.folder);
    await writeFile(join(limit.folder, "memory.limit_in_bytes"), String(bytes));
    return limit;
  }

  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** The command of a process that is limited from its beginning. */
  command(file: string, args: readonly string[]): { file: string; args: readonly string[] } {
    return { file: "/bin/sh", args: ["-c", 'echo $$ > "$0/cgroup.procs" && exec "$@"', this.folder, file, ...args] };
  }

  /** How often the kernel killed a process that needed more. */
  async kills(): Promise<number> {
    const control = await readFile(join(this.folder, "memory.oom_control"), "utf8");
    return Number(/^oom_kill (\d+)$/m.exec(control)?.[1]);
  }

  async mostBytes(): Promise<number> {
    return Number(await readFile(join(this.folder, "memory.max_usage_in_bytes"), "utf8"));
  }

  /** Once its process has ended. */
  async dispose(): Promise<void> {
    await until(() => rmdir(this.folder).then(() => true), { what: `${this.folder} to be empty` });
  }
}
