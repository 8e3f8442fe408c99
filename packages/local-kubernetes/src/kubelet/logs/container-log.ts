import { closeSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { Readable } from "node:stream";
import { formatLogLine, type LogLine, type LogStream } from "./log-line.ts";

const maxFileBytes = 10 * 1024 * 1024;
const maxLineBytes = 64 * 1024;

/** The log of one run of a container: a file, one older file when it grew too long, and those who follow it. */
export class ContainerLog {
  readonly file: string;
  readonly #now: () => Date;
  readonly #followers = new Set<LogFollower>();
  #descriptor: number;
  #bytes = 0;
  #isClosed = false;

  constructor(file: string, now: () => Date = () => new Date()) {
    this.file = file;
    this.#now = now;
    mkdirSync(dirname(file), { recursive: true });
    this.#descriptor = openSync(file, "w");
  }

  /** Writes down what a process prints, line by line. */
  attach(stream: LogStream, from: Readable): void {
    let rest = "";
    from.setEncoding("utf8");
    from.on("data", (chunk: string) => {
      const lines = `${rest}${chunk}`.split("\n");
      rest = lines.pop() ?? "";
      if (rest.length > maxLineBytes) lines.push(rest);
      if (rest.length > maxLineBytes) rest = "";
      this.append(stream, lines);
    });
    from.on("end", () => rest !== "" && this.append(stream, [rest]));
    from.on("error", () => undefined);
  }

  append(stream: LogStream, texts: readonly string[]): void {
    if (texts.length === 0 || this.#isClosed) return;
    const time = this.#now().toISOString().replace("Z", "000000Z");
    const lines = texts.map((text) => ({ time, stream, text }));
    // Synchronous, so that a reader of the file after an event sees everything before it.
    this.#bytes += writeSync(this.#descriptor, lines.map(formatLogLine).join(""));
    if (this.#bytes > maxFileBytes) this.#rotate();
    for (const follower of this.#followers) for (const line of lines) follower.onLine(line);
  }

  /** Tells of every further line and of the end; returns what calls it off. */
  follow(follower: LogFollower): () => void {
    if (this.#isClosed) follower.onEnd();
    else this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    closeSync(this.#descriptor);
    for (const follower of this.#followers) follower.onEnd();
    this.#followers.clear();
  }

  #rotate(): void {
    closeSync(this.#descriptor);
    renameSync(this.file, olderFile(this.file));
    this.#descriptor = openSync(this.file, "w");
    this.#bytes = 0;
  }
}

export interface LogFollower {
  onLine(line: LogLine): void;
  onEnd(): void;
}

/** Where the lines before those of a log's file are. */
export function olderFile(file: string): string {
  return `${file}.1`;
}
