import type { Answered, Ask, Asked } from "../world/in-process-carrier.ts";
import { brokenOff, type Downstream, type Stage, type Watched } from "./stage.ts";
import { type Line, linesOf, textOf } from "./watch-line.ts";

/** A watch whose lines come through stages, the first one first. */
export async function stagedWatch(
  ask: Ask,
  asked: Asked,
  watched: Watched,
  stages: readonly Stage[],
): Promise<Answered> {
  const upstream = new AbortController();
  const leave = () => upstream.abort(asked.signal?.reason);
  asked.signal?.addEventListener("abort", leave, { once: true });
  const answer = await ask({ ...asked, signal: upstream.signal });
  if (answer.statusCode !== 200) return answer;
  const outlet = new Outlet(() => {
    asked.signal?.removeEventListener("abort", leave);
    upstream.abort(brokenOff());
  });
  const inlet = stages.reduceRight<Downstream>((down, stage) => stage(down, watched), outlet);
  void pump(answer.body, inlet);
  return { ...answer, body: outlet.body() };
}

async function pump(body: AsyncIterable<Uint8Array>, inlet: Downstream): Promise<void> {
  try {
    for await (const line of linesOf(body)) inlet.line(line);
    inlet.end();
  } catch (error) {
    inlet.end(error instanceof Error ? error : brokenOff());
  }
}

/** The end of the stages, where the watcher reads. */
class Outlet implements Downstream {
  readonly #onEnd: () => void;
  readonly #lines: Line[] = [];
  #ended: { readonly why: Error | undefined } | undefined;
  #wake: () => void = () => undefined;

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  line(line: Line): void {
    if (this.#ended) return;
    this.#lines.push(line);
    this.#wake();
  }

  end(why?: Error): void {
    if (this.#ended) return;
    this.#ended = { why };
    this.#onEnd();
    this.#wake();
  }

  async *body(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const line = this.#lines.shift();
        if (line) yield Buffer.from(textOf(line));
        else if (this.#ended?.why) throw this.#ended.why;
        else if (this.#ended) return;
        else await this.#woken();
      }
    } finally {
      this.end();
    }
  }

  async #woken(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }
}
