import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { KubeClient } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import { parseLogLine } from "@etcd-operator/local-kubernetes/kubelet/logs/log-line.ts";
import { type MemberStart, memberStart } from "./member-start.ts";

const EVERY_MS = 100;

interface PodName {
  readonly namespace: string;
  readonly name: string;
}

/**
 * What every container of a member ever said, also after its pod is gone: the kubelet's files are kept by a second name
 * for each.
 */
export class StartLog {
  readonly #client: KubeClient;
  readonly #stateDir: string;
  readonly #folder: string;
  readonly #pods = new Map<string, PodName>();
  readonly #work: readonly Promise<void>[];
  #isOver = false;

  constructor(client: KubeClient, stateDir: string, folder: string) {
    this.#client = client;
    this.#stateDir = stateDir;
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
    // A pod may be gone a moment after its guard has reported: listing pods must not delay reading the log.
    this.#work = [this.#keepOn(async () => this.#link()), this.#keepOn(() => this.#learnNames())];
  }

  /** All starts of etcd in the pods of a namespace, in the order in which they happened. */
  starts(namespace: string): readonly MemberStart[] {
    return this.#linesOf(namespace, "etcd")
      .flatMap(({ pod, time, text }) => memberStart(pod, time, text) ?? [])
      .sort((one, other) => one.time.localeCompare(other.time));
  }

  /** All that guards said in a namespace. */
  guards(namespace: string): readonly string[] {
    return this.#linesOf(namespace, "guard").map(({ pod, text }) => `${pod}: ${text}`);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#work);
  }

  async #keepOn(step: () => Promise<void>): Promise<void> {
    while (!this.#isOver) {
      await step().catch(() => undefined);
      await pause(EVERY_MS);
    }
  }

  async #learnNames(): Promise<void> {
    const { items } = await this.#client.list(resources.pods, { labelSelector: "app=etcd" });
    for (const { metadata } of items) {
      this.#pods.set(metadata.uid, { namespace: metadata.namespace ?? "", name: metadata.name });
    }
  }

  #link(): void {
    for (const uid of namesIn(join(this.#stateDir, "pods"))) {
      for (const container of ["etcd", "guard"]) {
        const logs = join(this.#stateDir, "pods", uid, "logs", container);
        for (const file of namesIn(logs)) linkOnce(join(logs, file), join(this.#folder, `${uid} ${container} ${file}`));
      }
    }
  }

  #linesOf(namespace: string, container: string) {
    this.#link();
    return namesIn(this.#folder).flatMap((file) => {
      const [uid = "", its] = basename(file).split(" ");
      const pod = this.#pods.get(uid);
      if (its !== container || pod?.namespace !== namespace) return [];
      const lines = readFileSync(join(this.#folder, file), "utf8").split("\n");
      return lines.flatMap((line) => {
        const parsed = parseLogLine(line);
        return parsed ? [{ pod: pod.name, time: parsed.time, text: parsed.text }] : [];
      });
    });
  }
}

function linkOnce(from: string, to: string): void {
  try {
    if (!existsSync(to)) linkSync(from, to);
  } catch {
    // It went this moment, with its pod.
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
