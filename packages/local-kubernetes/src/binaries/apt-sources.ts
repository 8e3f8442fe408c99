/** One entry of apt's sources, whichever of the two formats it was written in. */
export interface AptSource {
  readonly types: readonly string[];
  readonly uris: readonly string[];
  readonly suites: readonly string[];
  readonly components: readonly string[];
  /** A keyring's path, a fingerprint, or a whole armored key with its line breaks. */
  readonly signedBy?: string;
}

/** Reads a `.list` file: one entry per line, `deb [option=value …] uri suite component…`. */
export function parseOneLineSources(text: string): AptSource[] {
  return text.split("\n").flatMap((line) => {
    const entry = /^\s*(deb|deb-src)\s+(?:\[([^\]]*)\]\s+)?([^#]*)/.exec(line);
    if (!entry) return [];
    const [, type = "", options = "", rest = ""] = entry;
    const [uri, suite, ...components] = words(rest);
    if (uri === undefined || suite === undefined) return [];
    const signedBy = /(?:^|\s)signed-by=(\S+)/i.exec(options)?.[1];
    return [{ types: [type], uris: [uri], suites: [suite], components, ...(signedBy && { signedBy }) }];
  });
}

/** Reads a `.sources` file: stanzas of `Field: value` in the deb822 format. */
export function parseDeb822Sources(text: string): AptSource[] {
  return withoutComments(text)
    .split(/\n(?:[ \t]*\n)+/)
    .map(fieldsOf)
    .filter((fields) => fields.has("uris") && !isDisabled(fields))
    .map((fields) => {
      const signedBy = fields.get("signed-by");
      return {
        types: words(fields.get("types") ?? ""),
        uris: words(fields.get("uris") ?? ""),
        suites: words(fields.get("suites") ?? ""),
        components: words(fields.get("components") ?? ""),
        ...(signedBy && { signedBy }),
      };
    });
}

function withoutComments(text: string): string {
  return text
    .split("\n")
    .filter((line) => !line.startsWith("#"))
    .join("\n");
}

function fieldsOf(stanza: string): Map<string, string> {
  const fields = new Map<string, string>();
  let current = "";
  for (const line of stanza.split("\n")) {
    const start = /^([^\s:]+):\s*(.*)$/.exec(line);
    if (start) {
      current = (start[1] ?? "").toLowerCase();
      fields.set(current, (start[2] ?? "").trimEnd());
    } else if (/^[ \t]/.test(line) && fields.has(current)) {
      fields.set(current, `${fields.get(current)}\n${line.trimEnd()}`);
    }
  }
  return fields;
}

function isDisabled(fields: ReadonlyMap<string, string>): boolean {
  return /^(no|false|without|off|disable|0)$/i.test(fields.get("enabled") ?? "yes");
}

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}
