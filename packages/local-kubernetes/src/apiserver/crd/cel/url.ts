/** A URL as CEL rules take it apart; nothing in it is normalised. */
export class CelUrl {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;

  private constructor(scheme: string, host: string, path: string, query: string) {
    this.scheme = scheme;
    this.host = host;
    this.path = path;
    this.query = query;
  }

  /** Undefined for what is neither an absolute URI nor an absolute path. */
  static parse(text: string): CelUrl | undefined {
    const [all, scheme = "", authority = "", path = "", query = ""] =
      /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#\s]*))?([^?#\s]*)(?:\?([^#\s]*))?$/.exec(text) ?? [];
    if (all === undefined || (scheme === "" && !path.startsWith("/"))) return undefined;
    const host = authority.slice(authority.lastIndexOf("@") + 1);
    return /^(?:\[[0-9A-Fa-f:.]*\]|[^:[\]]*)(?::\d*)?$/.test(host) ? new CelUrl(scheme, host, path, query) : undefined;
  }

  get hostname(): string {
    return this.host.replace(/:\d*$/, "").replace(/^\[|\]$/g, "");
  }

  get port(): string {
    return /:(\d*)$/.exec(this.host)?.[1] ?? "";
  }

  get parameters(): Map<string, string[]> {
    const found = new Map<string, string[]>();
    for (const [name, value] of new URLSearchParams(this.query)) {
      found.set(name, [...(found.get(name) ?? []), value]);
    }
    return found;
  }
}
