export type LogStream = "stdout" | "stderr";

export interface LogLine {
  /** RFC 3339, as it stands in the file. */
  readonly time: string;
  readonly stream: LogStream;
  readonly text: string;
}

/** A line as container runtimes write it into their log files. */
export function formatLogLine({ time, stream, text }: LogLine): string {
  return `${time} ${stream} F ${text}\n`;
}

export function parseLogLine(line: string): LogLine | undefined {
  const [, time, stream, text] = /^(\S+) (stdout|stderr) [FP] (.*)$/s.exec(line) ?? [];
  return time === undefined || text === undefined ? undefined : { time, stream: stream as LogStream, text };
}

/** What a reader of a log asks for. */
export interface LogSelection {
  readonly tailLines?: number;
  /** Milliseconds since 1970. */
  readonly since?: number;
  readonly timestamps?: boolean;
  readonly limitBytes?: number;
}

/** The lines of a log that were asked for, oldest first. */
export function selectLogLines(lines: readonly LogLine[], { since, tailLines }: LogSelection): readonly LogLine[] {
  const recent = since === undefined ? lines : lines.filter(({ time }) => Date.parse(time) >= since);
  return tailLines === undefined ? recent : recent.slice(Math.max(0, recent.length - tailLines));
}

export function shownLogLine({ time, text }: LogLine, { timestamps }: LogSelection): string {
  return `${timestamps ? `${time} ` : ""}${text}\n`;
}
