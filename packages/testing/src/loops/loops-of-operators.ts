import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { AuditLine } from "@etcd-operator/local-kubernetes/apiserver/http/audit.ts";
import { loopsIn, type SeenWrite } from "./loops.ts";
import { answeredWrite } from "./seen-write.ts";

interface OperatorWrite {
  readonly userAgent: string;
  readonly namespace: string;
  readonly write: SeenWrite;
}

/** Reads what operators write to the API server of a local mode, as its audit log has it, and finds the loops. */
export class LoopsOfOperators {
  readonly #auditFile: string;
  #readBytes = 0;
  #unjudged: readonly OperatorWrite[] = [];
  #turn: Promise<void> = Promise.resolve();

  constructor(auditFile: string) {
    this.#auditFile = auditFile;
  }

  /** Those since the last time, of all namespaces or of some. */
  async found(isAsked: (namespace: string) => boolean = () => true): Promise<readonly string[]> {
    // Plans beside each other share the log, and no line may be read twice.
    this.#turn = this.#turn.then(() => this.#readOn());
    await this.#turn;
    const asked = this.#unjudged.filter(({ namespace }) => isAsked(namespace));
    this.#unjudged = this.#unjudged.filter(({ namespace }) => !isAsked(namespace));
    return loopsOfOperators(asked);
  }

  async #readOn(): Promise<void> {
    const text = await textFrom(this.#auditFile, this.#readBytes);
    const whole = text.subarray(0, text.lastIndexOf("\n") + 1);
    this.#readBytes += whole.length;
    const lines = whole
      .toString()
      .split("\n")
      .filter((line) => line !== "");
    this.#unjudged = [...this.#unjudged, ...lines.flatMap((line) => operatorWrite(line) ?? [])];
  }
}

async function textFrom(file: string, start: number): Promise<Buffer> {
  // There is none before the first write.
  const { size } = await stat(file).catch(() => ({ size: 0 }));
  if (size <= start) return Buffer.alloc(0);
  const chunks: Buffer[] = [];
  for await (const chunk of createReadStream(file, { start })) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** One client is one program; objects are distinguished by their namespaces, too. */
function loopsOfOperators(writes: readonly OperatorWrite[]): readonly string[] {
  const byClient = new Map<string, SeenWrite[]>();
  for (const { userAgent, namespace, write } of writes) {
    const client = `${userAgent} in '${namespace}'`;
    const its = byClient.get(client) ?? [];
    its.push(write);
    byClient.set(client, its);
  }
  return [...byClient].flatMap(([client, its]) => loopsIn(its).map((loop) => `${client}: ${loop}`));
}

const BEGIN_OF_LINE = '{"atMs":';

function operatorWrite(line: string): OperatorWrite | undefined {
  // An API server that is killed may leave half a line, and its successor goes on right behind that.
  const audit = JSON.parse(line.slice(Math.max(0, line.lastIndexOf(BEGIN_OF_LINE)))) as AuditLine;
  const write = audit.userAgent.startsWith("etcd-") ? answeredWrite(audit) : undefined;
  const [, namespace = ""] = /\/namespaces\/([^/]+)\//.exec(audit.path) ?? [];
  return write && { userAgent: audit.userAgent, namespace, write };
}
