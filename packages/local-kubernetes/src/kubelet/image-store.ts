import { messageOf } from "@etcd-operator/kubernetes-client";
import type { Image } from "../images/image.ts";
import { type BackOff, type BackOffLimits, dueAt, nextBackOff } from "./back-off.ts";

export type ImageAnswer =
  | { readonly kind: "ready"; readonly image: Image; readonly tookMs: number }
  | { readonly kind: "failed"; readonly message: string; readonly retryAt: number; readonly waitMs: number };

type Tell = (progress: string) => void;

interface Entry {
  pulling?: Promise<ImageAnswer>;
  /** What takes long at the moment, and who wants to know. */
  progress?: string;
  readonly listeners: Set<Tell>;
  answer?: ImageAnswer;
  backOff?: BackOff;
}

/** The images that pods of this node have asked for. Several pods that want the same one share the pulling of it. */
export class ImageStore {
  readonly #find: (image: string, tell: Tell) => Promise<Image>;
  readonly #now: () => number;
  readonly #limits: BackOffLimits;
  readonly #entries = new Map<string, Entry>();

  constructor(find: (image: string, tell: Tell) => Promise<Image>, now: () => number, limits: BackOffLimits) {
    this.#find = find;
    this.#now = now;
    this.#limits = limits;
  }

  /** What is known without waiting; undefined when it has to be pulled. */
  known(image: string): ImageAnswer | undefined {
    const answer = this.#entries.get(image)?.answer;
    return answer?.kind === "failed" && answer.retryAt <= this.#now() ? undefined : answer;
  }

  /** Tells what takes long; one who joins later is told at once. */
  async pull(image: string, tell: Tell = () => undefined): Promise<ImageAnswer> {
    const entry = this.#entries.get(image) ?? { listeners: new Set() };
    this.#entries.set(image, entry);
    entry.listeners.add(tell);
    entry.pulling ??= this.#ask(image, entry).finally(() => {
      delete entry.pulling;
      delete entry.progress;
      entry.listeners.clear();
    });
    if (entry.progress !== undefined) tell(entry.progress);
    return entry.pulling;
  }

  async #ask(image: string, entry: Entry): Promise<ImageAnswer> {
    const began = this.#now();
    const tell = (progress: string) => {
      entry.progress = progress;
      for (const listener of entry.listeners) listener(progress);
    };
    try {
      entry.answer = { kind: "ready", image: await this.#find(image, tell), tookMs: this.#now() - began };
      delete entry.backOff;
    } catch (error) {
      const now = this.#now();
      entry.backOff = nextBackOff(entry.backOff, now, this.#limits);
      const retryAt = dueAt(entry.backOff, now, this.#limits);
      entry.answer = { kind: "failed", message: messageOf(error), retryAt, waitMs: retryAt - now };
    }
    return entry.answer;
  }
}
