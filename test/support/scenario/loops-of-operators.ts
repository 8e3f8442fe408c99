import { readFile } from "node:fs/promises";
import type { Stored } from "../../../src/kubernetes/kube-object.ts";
import type { AuditLine } from "../../../src/local/apiserver/http/audit.ts";
import type { LocalModeUnderTest } from "../local/local-mode.ts";
import { loopsIn, type SeenWrite } from "../loops/loops.ts";
import { seenWrite } from "../loops/seen-write.ts";

/** Reads what operators wrote to an API server, and finds the loops. */
export class LoopsOfOperators {
  readonly #local: Pick<LocalModeUnderTest, "auditFile">;
  #read = 0;

  constructor(local: Pick<LocalModeUnderTest, "auditFile">) {
    this.#local = local;
  }

  /** Those since the last time. */
  async found(): Promise<readonly string[]> {
    const text = await readFile(this.#local.auditFile, "utf8").catch(() => "");
    const whole = text.slice(this.#read, text.lastIndexOf("\n") + 1);
    this.#read += whole.length;
    return loopsOfOperators(whole.split("\n").filter((line) => line !== ""));
  }
}

/** One client is one program; objects are told apart by their namespaces, too. */
export function loopsOfOperators(lines: readonly string[]): readonly string[] {
  const writes = new Map<string, SeenWrite[]>();
  for (const line of lines) {
    const audit = JSON.parse(line) as AuditLine;
    const write = audit.userAgent.startsWith("etcd-") ? written(audit) : undefined;
    if (!write) continue;
    const [, namespace = ""] = /\/namespaces\/([^/]+)\//.exec(audit.path) ?? [];
    const client = `${audit.userAgent} in '${namespace}'`;
    writes.set(client, [...(writes.get(client) ?? []), write]);
  }
  return [...writes].flatMap(([client, its]) => loopsIn(its).map((loop) => `${client}: ${loop}`));
}

function written({ answer, ...asked }: AuditLine): SeenWrite | undefined {
  const said = (answer.startsWith("{") ? JSON.parse(answer) : {}) as Stored;
  return seenWrite({ ...asked, object: said.kind === "Status" || !said.metadata ? undefined : said });
}
