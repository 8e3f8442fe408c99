import { isIPv4, isIPv6 } from "node:net";

/** The check of a string format; undefined for formats that the API server ignores, such as `int32` or `quantity`. */
export function formatCheck(format: string | undefined): FormatCheck | undefined {
  return format === undefined ? undefined : FORMATS.get(format.replaceAll("-", ""));
}

/** Whether an API server knows a format of texts, checked or not. */
export function isFormat(format: string): boolean {
  return FORMATS.has(format.replaceAll("-", "")) || UNCHECKED.has(format);
}

const UNCHECKED: ReadonlySet<string> = new Set([
  ...["isbn", "isbn10", "isbn13", "creditcard", "rgbcolor", "int32", "int64", "float", "double"],
  ...["k8s-short-name", "k8s-long-name"],
]);

export type FormatCheck = (text: string) => boolean;

const matching = (pattern: RegExp) => (text: string) => pattern.test(text);

const HOSTNAME_LABEL = "[a-zA-Z0-9\\p{S}\\p{L}]";

const FORMATS: ReadonlyMap<string, FormatCheck> = new Map<string, FormatCheck>([
  ["bsonobjectid", matching(/^[0-9a-fA-F]{24}$/)],
  ["byte", matching(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/)],
  ["cidr", isCidr],
  ["date", isDate],
  ["datetime", isDateTime],
  ["duration", isDuration],
  ["email", matching(/^(?:[^<>@]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/)],
  ["hexcolor", matching(/^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
  ["hostname", isHostname],
  // Leading zeros and IPv4 inside of IPv6 are tolerated.
  ["ipv4", (text) => isIPv4(text.replace(/(?<=^|\.)0+(?=\d)/g, "")) || (text.includes(".") && isIPv6(text))],
  ["ipv6", (text) => isIPv6(text) && !text.includes("%")],
  [
    "mac",
    matching(
      /^(?:[0-9a-f]{2}([:-])(?:[0-9a-f]{2}\1){4}(?:(?:[0-9a-f]{2}\1){2})?[0-9a-f]{2}|(?:[0-9a-f]{4}\.){2,3}[0-9a-f]{4})$/i,
    ),
  ],
  ["password", () => true],
  ["ssn", matching(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/)],
  ["uri", isUri],
  ["uuid", matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ["uuid3", matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ["uuid4", matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ["uuid5", matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
]);

function isDate(text: string): boolean {
  const [all, month, day] = /^\d{4}-(\d{2})-(\d{2})$/.exec(text) ?? [];
  if (all === undefined) return false;
  const date = new Date(`${all}T00:00:00Z`);
  return date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(day);
}

function isDateTime(text: string): boolean {
  const [date = "", time = ""] = text.toLowerCase().split("t");
  const parts = /^(\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:z|[+-]\d{2}:\d{2})$/.exec(time);
  const [hours, minutes, seconds] = (parts ?? []).slice(1).map(Number);
  return isDate(date) && parts !== null && Number(hours) < 24 && Number(minutes) < 60 && Number(seconds) < 60;
}

// Go's durations, and also words such as "3 days".
function isDuration(text: string): boolean {
  if (/^[+-]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/.test(text)) return true;
  return [...text.matchAll(/\d+\s*([A-Za-zµ]+)/g)].some(([, unit = ""]) => DURATION_WORD.test(unit));
}

const DURATION_WORD = /^(?:ns|nano.*|us|µs|micro.*|ms|milli.*|s|sec.*|m|min.*|h|hr|hour.*|d|day.*|w|wk|week.*)$/i;

function isHostname(text: string): boolean {
  if (Buffer.byteLength(text) > 255 || text.split(".").some((label) => Buffer.byteLength(label) > 63)) return false;
  return HOSTNAME.test(text);
}

const HOSTNAME = new RegExp(
  `^(?:${HOSTNAME_LABEL}(?:-?${HOSTNAME_LABEL}{0,62})?|` +
    `(?:${HOSTNAME_LABEL}(?:[-a-zA-Z0-9\\p{S}\\p{L}]{0,61}${HOSTNAME_LABEL})?\\.)+[a-zA-Z\\p{L}]{2,63})$`,
  "u",
);

function isCidr(text: string): boolean {
  const [, address = "", bits] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  const width = isIPv4(address) ? 32 : isIPv6(address) ? 128 : -1;
  return Number(bits) <= width;
}

// An absolute URI or an absolute path, as in the first line of an HTTP request.
function isUri(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a URI may not contain.
  if (/[\u0000-\u001f\u007f]/.test(text) || /%(?![0-9a-fA-F]{2})/.test(text)) return false;
  if (text === "*" || text.startsWith("/")) return true;
  return /^[a-zA-Z][a-zA-Z0-9+.-]*:(?:$|[^/]|\/(?!\/)|\/\/(?:\[[0-9a-fA-F:.]*\]|[^\s<>"{}|\\^`[\]/]*)(?:$|[:/?#]))/.test(
    text,
  );
}
