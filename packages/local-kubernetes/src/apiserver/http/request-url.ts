export interface RequestUrl {
  /** As it was sent: escapes, dots and double slashes stay what they are. */
  readonly pathname: string;
  readonly searchParams: URLSearchParams;
}

const SCHEME_AND_HOST = /^[a-z][a-z+.-]*:\/\/[^/?]*/i;

/** Takes the target of a request apart. No `URL`: that takes what stands behind two slashes for a host. */
export function requestUrl(target = "/"): RequestUrl {
  const local = target.replace(SCHEME_AND_HOST, "");
  const end = local.indexOf("?");
  const [path, query] = end < 0 ? [local, ""] : [local.slice(0, end), local.slice(end + 1)];
  return { pathname: path === "" ? "/" : path, searchParams: new URLSearchParams(query) };
}

/** Whether a list is to be a watch: every other text is a yes, also none. */
export function wantsWatch(query: URLSearchParams): boolean {
  const flag = query.get("watch")?.toLowerCase();
  return flag !== undefined && flag !== "false" && flag !== "0";
}
