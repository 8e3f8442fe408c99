import { evaluate } from "@marcbachmann/cel-js";

/** The bytes that a string of format `byte` stands for. */
export function bytesOf(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, "base64"));
}

/** The duration that a string of format `duration` stands for: Go's notation, or words such as "3 days". */
export function durationOf(text: string): unknown {
  const isWords = !/^[+-]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/.test(text);
  return evaluate("duration(text)", { text: isWords ? `${secondsOf(text)}s` : text === "0" ? "0s" : text });
}

const SECONDS: readonly (readonly [RegExp, number])[] = [
  [/^(?:ns|nano)/i, 1e-9],
  [/^(?:us|µs|micro)/i, 1e-6],
  [/^(?:ms$|milli)/i, 1e-3],
  [/^(?:s$|sec)/i, 1],
  [/^(?:m$|min)/i, 60],
  [/^(?:h$|hr$|hour)/i, 3600],
  [/^(?:d$|day)/i, 86_400],
  [/^(?:w$|wk$|week)/i, 604_800],
];

function secondsOf(words: string): number {
  return [...words.matchAll(/(\d+)\s*([A-Za-zµ]+)/g)].reduce((sum, [, count = "", unit = ""]) => {
    const [, seconds] = SECONDS.find(([pattern]) => pattern.test(unit)) ?? [];
    return sum + Number(count) * (seconds ?? 0);
  }, 0);
}
