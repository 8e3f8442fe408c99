import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Client, Liar, Play } from "./play.ts";

/** Far beyond every time limit that a play configures: what has not ended by then hangs. */
const HANG_MS = 15_000;
/** With a liar. */
const PATIENCE_MS = 800;
/** What the kernel takes for a socket on this machine comes on top of what was read. */
const MOST_TAKEN_BYTES = 24 << 20;
/** Less than what a bomb unpacks to; the largest upload of a play takes a few of them itself. */
const MOST_GROWTH_BYTES = 80 << 20;
const MOST_MESSAGE_CHARACTERS = 2_000;
const SAMPLE_MS = 10;

/** Lies to one read, with an honest server beside it, and says what was not as it should be. */
export async function failuresOf({ component, read: readName, lie: lieName }: Play): Promise<readonly string[]> {
  const [read, lie] = [component.reads[readName], component.lies[lieName]];
  if (!read || !lie) return [`there is no ${component.name}/${readName}/${lieName}`];
  const [liar, honest] = [await component.serve({ read, lie }), await component.serve()];
  const [client, beside] = [
    await component.connect(liar.address, PATIENCE_MS),
    await component.connect(honest.address, HANG_MS),
  ];
  const watch = watchProcess();
  try {
    const failures: string[] = [];
    const [ending, other] = await Promise.all([endingOf(client.ask(readName)), endingOf(beside.ask(readName))]);
    if (other.kind !== "answer") failures.push(`beside it an honest server was not read: ${inWords(other)}`);
    failures.push(...unlikeExpected(ending, lie.ends, component.codeOf), ...takenOf(liar));
    liar.repent();
    failures.push(...(await afterwards(client, readName)));
    return [...failures, ...watch.failures()];
  } finally {
    watch.end();
    await Promise.all([client.close(), beside.close()]);
    await Promise.all([liar.close(), honest.close()]);
  }
}

type Ending = { readonly kind: "answer" } | { readonly kind: "hang" } | { readonly kind: "error"; error: unknown };

async function endingOf(asked: Promise<unknown>): Promise<Ending> {
  let timer: NodeJS.Timeout | undefined;
  const hang = new Promise<Ending>((resolve) => {
    timer = setTimeout(() => resolve({ kind: "hang" }), HANG_MS);
  });
  const end = asked.then(
    (): Ending => ({ kind: "answer" }),
    (error: unknown): Ending => ({ kind: "error", error }),
  );
  return await Promise.race([end, hang]).finally(() => clearTimeout(timer));
}

function unlikeExpected(ending: Ending, ends: readonly string[], codeOf: (error: unknown) => string | undefined) {
  if (ending.kind === "answer") return ends.includes("answer") ? [] : ["the lie was taken for an answer"];
  if (ending.kind === "hang") return [inWords(ending)];
  const code = codeOf(ending.error);
  if (code === undefined) return [`it ended with an error without a code: ${inWords(ending)}`];
  const { message } = ending.error as Error;
  return [
    ...(ends.includes(code) ? [] : [`it ended with '${code}' and not with ${ends.join(" or ")}: ${message}`]),
    ...(message.length > MOST_MESSAGE_CHARACTERS ? [`its message has ${message.length} characters`] : []),
  ];
}

function takenOf({ spent }: Liar): string[] {
  if (spent.lies === 0) return ["it was not lied to"];
  if (spent.mostBytes <= MOST_TAKEN_BYTES) return [];
  return [
    `it took ${mebibytes(spent.mostBytes)} of the liar, and ${mebibytes(MOST_TAKEN_BYTES)} at most are due to buffers`,
  ];
}

/** The connection may still be on its way down when the first honest call is made. */
async function afterwards(client: Client, read: string): Promise<string[]> {
  const endAt = performance.now() + HANG_MS;
  for (;;) {
    const ending = await endingOf(client.ask(read));
    if (ending.kind === "answer") return [];
    if (ending.kind === "hang" || performance.now() > endAt)
      return [`an honest call after it fails: ${inWords(ending)}`];
  }
}

/** What happens to the entire process. */
function watchProcess() {
  const found: string[] = [];
  const stray = (error: unknown) => found.push(`an error reached the process: ${error}`);
  process.on("unhandledRejection", stray).on("uncaughtException", stray);
  collect();
  const before = memoryInUse();
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(most, memoryInUse() - before);
  }, SAMPLE_MS);
  return {
    failures: () => (most > MOST_GROWTH_BYTES ? [...found, `memory grew by ${mebibytes(most)}`] : found),
    end() {
      clearInterval(timer);
      process.off("unhandledRejection", stray).off("uncaughtException", stray);
    },
  };
}

function memoryInUse(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function collect(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}

function inWords(ending: Ending): string {
  if (ending.kind === "hang") return `it did not end within ${HANG_MS / 1000} s`;
  return ending.kind === "answer" ? "it was answered" : String(ending.error).slice(0, 500);
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / (1 << 20))} MiB`;
}
