import { messageOf } from "@etcd-operator/kubernetes-client";
import { type DestinationStream, destination, type Level, type Logger as PinoLogger, pino } from "pino";
import { OnceAMinute } from "./once-a-minute.ts";
import { SECRET_PATHS, withoutSecrets } from "./redaction.ts";

export type Logger = Pick<PinoLogger, Level> & { child(bindings: Readonly<Record<string, unknown>>): Logger };

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LoggerOptions {
  readonly level?: LogLevel;
  /** "json", one object a line, for machines; "text" for a person at a terminal. */
  readonly format?: "json" | "text";
  /** Where lines go; standard error by default, because standard output belongs to what a command was asked for. */
  readonly write?: (line: string) => void;
  readonly nowMs?: () => number;
}

/** The root of all loggers of a program; each controller and each object logs through a child of it. */
export function createLogger(options: LoggerOptions = {}): Logger {
  const { level = "info", format = "json", write, nowMs = () => performance.now() } = options;
  const onceAMinute = new OnceAMinute(nowMs);
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: errorFields, error: errorFields },
      hooks: {
        logMethod(args, method, number) {
          const passage = onceAMinute.passageOf(args, number);
          if (passage.isDebug) this.debug(...(passage.args as Parameters<typeof method>));
          else method.apply(this, passage.args as Parameters<typeof method>);
        },
      },
      redact: { paths: [...SECRET_PATHS], censor: "[redacted]" },
    },
    streamOf(format, write),
  );
}

function streamOf(format: "json" | "text", write: LoggerOptions["write"]): DestinationStream {
  // Synchronous: the last line before a crash is the one that matters.
  const end = write ? { write } : destination({ fd: 2, sync: true });
  return format === "json" ? end : { write: (line: string) => end.write(readableLine(line)) };
}

/** What is worth knowing of an error; never its own fields at large, which may hold requests with their headers. */
function errorFields(error: unknown): unknown {
  if (!(error instanceof Error)) return typeof error === "string" ? withoutSecrets(error) : error;
  const { name, message, stack, cause } = error;
  const code = "code" in error ? error.code : undefined;
  return {
    name,
    code,
    message: withoutSecrets(message),
    stack: stack && withoutSecrets(stack),
    ...(cause !== undefined && { cause: withoutSecrets(messageOf(cause)) }),
  };
}

interface Line {
  readonly time?: string;
  readonly level?: string;
  readonly msg?: string;
  readonly err?: { readonly message?: string };
  readonly [field: string]: unknown;
}

/** A line of the log as a person reads it: time, level, message, then the fields. */
function readableLine(json: string): string {
  const { time = "", level = "", msg = "", err, ...fields } = JSON.parse(json) as Line;
  const shown = Object.entries(fields).map(([name, value]) => `${name}=${wordOf(value)}`);
  const why = err?.message ? [`– ${err.message}`] : [];
  return `${[time.slice(11, 19), level.toUpperCase().padEnd(5), msg, ...why, ...shown].join(" ")}\n`;
}

function wordOf(value: unknown): string {
  return typeof value === "string" && /^[^\s"]+$/.test(value) ? value : JSON.stringify(value);
}
