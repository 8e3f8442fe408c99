import { setTimeout as sleep } from "node:timers/promises";

/** Something that tests run and that is downloaded or built. */
export interface Part {
  /** Such as "etcd 3.6.16". */
  readonly name: string;
  /** What this machine lacks for it; the tests that need the part are then skipped. */
  readonly obstacle?: string | undefined;
  /** Finds the part in the cache, or gets it. */
  readonly get: (log: (line: string) => void) => Promise<unknown>;
}

export interface Screen {
  readonly say: (line: string) => void;
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<void>;
}

const TRIES = 3;
const FIRST_PAUSE_MS = 5_000;
const STILL_EVERY_MS = 30_000;

/** Gets every part, one after another, and says how long each took. A part that fails three times ends it. */
export async function prepare(parts: readonly Part[], screen: Screen = terminal): Promise<void> {
  for (const [at, part] of parts.entries()) {
    const title = `[${at + 1}/${parts.length}] ${part.name}`;
    if (part.obstacle === undefined) await withProgress(title, part, screen);
    else screen.say(`${title}: left out, its tests are skipped: ${part.obstacle}`);
  }
}

async function withProgress(title: string, part: Part, screen: Screen): Promise<void> {
  const started = screen.now();
  const seconds = () => `${Math.round((screen.now() - started) / 1000)} s`;
  const still = setInterval(() => screen.say(`${title}: still at it (${seconds()})`), STILL_EVERY_MS);
  try {
    await repeated(part, title, screen);
    screen.say(`${title}: ready (${seconds()})`);
  } finally {
    clearInterval(still);
  }
}

// Registries fail now and then, and what is missing here is missing until the run ends.
async function repeated(part: Part, title: string, { say, pause }: Screen): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await part.get((line) => say(`${title}: ${line}`));
      return;
    } catch (error) {
      if (attempt === TRIES) throw new Error(`${title} cannot be had`, { cause: error });
      const why = error instanceof Error ? error.message : String(error);
      const pauseMs = FIRST_PAUSE_MS * 2 ** (attempt - 1);
      say(`${title}: attempt ${attempt} of ${TRIES} failed, next in ${pauseMs / 1000} s: ${why}`);
      await pause(pauseMs);
    }
  }
}

const terminal: Screen = {
  say: (line) => process.stderr.write(`${line}\n`),
  now: () => performance.now(),
  pause: async (ms) => sleep(ms),
};
