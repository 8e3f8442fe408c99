import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { freePorts } from "@etcd-operator/local-kubernetes";
import { tiedToUs } from "@etcd-operator/local-kubernetes/processes/guarded-process.ts";

export interface MemberOptions {
  /** Path of the etcd program. */
  readonly binary: string;
  readonly dir: string;
  readonly name: string;
  readonly scheme?: "http" | "https";
  readonly flags?: readonly string[];
}

/** A real etcd for tests that must kill, pause and restart it, or join it to others. It starts when asked to. */
export class MemberUnderTest {
  readonly name: string;
  readonly address: string;
  readonly peerUrl: string;
  readonly #options: MemberOptions;
  #child: ChildProcess | undefined;
  #log = "";

  static async create(options: MemberOptions): Promise<MemberUnderTest> {
    const [clientPort = 0, peerPort = 0] = await freePorts(2);
    return new MemberUnderTest(options, clientPort, peerPort);
  }

  private constructor(options: MemberOptions, clientPort: number, peerPort: number) {
    this.#options = options;
    this.name = options.name;
    this.address = `127.0.0.1:${clientPort}`;
    this.peerUrl = `http://127.0.0.1:${peerPort}`;
  }

  /** What `--initial-cluster` calls it. */
  get nameAndPeerUrl(): string {
    return `${this.name}=${this.peerUrl}`;
  }

  /** The end of what it printed. */
  get log(): string {
    return this.#log;
  }

  /**
   * Starts it on the data it has; `join` names the members it joins on its first start. The program may be another one.
   */
  start(join: readonly MemberUnderTest[] = [], binary = this.#options.binary): void {
    // A clean environment: a stray ETCD_ variable would change what is tested.
    const child = spawn(...tiedToUs(binary, this.#flags(join)), {
      stdio: "pipe",
      env: { PATH: process.env.PATH },
    });
    const keep = (chunk: Buffer) => {
      this.#log = `${this.#log}${chunk}`.slice(-10_000);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    this.#child = child;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  /** Ends it and waits for its end. */
  async stop(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill(signal);
    await exited;
  }

  #flags(others: readonly MemberUnderTest[]): string[] {
    const { dir, scheme = "http", flags = [] } = this.#options;
    const clientUrl = `${scheme}://${this.address}`;
    return [
      ...["--name", this.name, "--data-dir", join(dir, this.name)],
      ...["--listen-client-urls", clientUrl, "--advertise-client-urls", clientUrl],
      ...["--listen-peer-urls", this.peerUrl, "--initial-advertise-peer-urls", this.peerUrl],
      ...["--initial-cluster", [...others, this].map((member) => member.nameAndPeerUrl).join(",")],
      ...["--initial-cluster-state", others.length > 0 ? "existing" : "new"],
      ...flags,
    ];
  }
}
