/** What a machine must offer before local mode can run on it. */
export interface MachineFacts {
  readonly platform: string;
  readonly isRoot: boolean;
  readonly missingPrograms: readonly string[];
  /** What the kernel said when asked for namespaces; undefined when it gave them. */
  readonly namespaceError?: string | undefined;
}

/** Which Debian package brings each program that local mode calls. */
export const NEEDED_PROGRAMS: Readonly<Record<string, string>> = {
  ip: "iproute2",
  unshare: "util-linux",
  nsenter: "util-linux",
  setpriv: "util-linux",
  flock: "util-linux",
  mount: "mount",
  chroot: "coreutils",
};

/** Why local mode cannot run here and what to do about it; undefined when it can. */
export function obstacle(facts: MachineFacts): string | undefined {
  if (facts.platform !== "linux") {
    return `Local mode runs pods as Linux processes, and this is ${facts.platform}: use a Linux machine or virtual machine, or a Kubernetes of yours with deploy/.`;
  }
  if (!facts.isRoot) {
    return "Local mode makes network and mount namespaces, which needs root: run it as root, for example with sudo make run.";
  }
  if (facts.missingPrograms.length > 0) {
    const packages = new Set(facts.missingPrograms.map((program) => NEEDED_PROGRAMS[program] ?? program));
    return `Programs are missing: ${facts.missingPrograms.join(", ")}. On Debian: apt-get install ${[...packages].join(" ")}`;
  }
  if (facts.namespaceError !== undefined) {
    return `This machine gives out no namespaces (${facts.namespaceError}): in a container, start it with --privileged; else use a virtual machine.`;
  }
  return undefined;
}

/** The port that the API server was told to use is taken. */
export function portTaken(port: number, free: number): string {
  return `Port ${port} of 127.0.0.1 is taken: choose another with make run PORT=${free}, or stop what listens there (ss -ltnp 'sport = :${port}' names it).`;
}

/** A local mode runs on the same folder; its process is not known for a moment after its start. */
export function alreadyRunning(stateDir: string, pid: number | undefined, free: number): string {
  const [who, how] = pid === undefined ? ["", ""] : [` as process ${pid}`, `, or with kill ${pid}`];
  return `A local mode runs already on ${stateDir}${who}: use it, or stop it with Ctrl-C in its terminal${how}. One beside it needs a folder and a port of its own: make run STATE=.local-2 PORT=${free}`;
}
