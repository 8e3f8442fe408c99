interface Field {
  readonly least: number;
  readonly most: number;
  readonly names?: readonly string[];
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const FIELDS: readonly Field[] = [
  { least: 0, most: 59 },
  { least: 0, most: 23 },
  { least: 1, most: 31 },
  { least: 1, most: 12, names: MONTHS },
  { least: 0, most: 6, names: DAYS },
];
const NAMES = ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"];

/** Why a text is no cron schedule, in the words of the real API server; undefined when it is one. */
export function scheduleError(text: string): string | undefined {
  if (text.startsWith("@")) return descriptorError(text);
  const fields = text.split(/\s+/).filter((field) => field !== "");
  if (fields.length !== FIELDS.length) {
    return `expected exactly 5 fields, found ${fields.length}: [${fields.join(" ")}]`;
  }
  for (const [index, field] of FIELDS.entries()) {
    for (const part of (fields[index] ?? "").split(",").filter((each) => each !== "")) {
      const error = partError(part, field);
      if (error) return error;
    }
  }
  return undefined;
}

function descriptorError(text: string): string | undefined {
  if (NAMES.includes(text)) return undefined;
  const duration = /^@every (.*)$/.exec(text)?.[1];
  if (duration === undefined) return `unrecognized descriptor: ${text}`;
  const problem = durationError(duration);
  return problem && `failed to parse duration ${text}: time: ${problem}`;
}

function durationError(duration: string): string | undefined {
  const rest = duration.replace(/^[-+]/, "");
  if (/^(\d+(\.\d*)?(ns|us|µs|ms|s|m|h))+$/.test(rest)) return undefined;
  const unit = /^(?:\d+(?:\.\d*)?(?:ns|us|µs|ms|s|m|h))*\d+(?:\.\d*)?([a-z]+)/.exec(rest)?.[1];
  if (unit) return `unknown unit "${unit}" in duration "${duration}"`;
  return /^\d+(\.\d*)?$/.test(rest) ? `missing unit in duration "${duration}"` : `invalid duration "${duration}"`;
}

function partError(part: string, field: Field): string | undefined {
  const [range = "", step, ...moreSteps] = part.split("/");
  const [first = "", last, ...more] = range.split("-");
  const isAny = first === "*" || first === "?";
  if (more.length > 0 || (isAny && last !== undefined)) return `too many hyphens: ${part}`;
  if (moreSteps.length > 0) return `too many slashes: ${part}`;
  const start = isAny ? field.least : numberOf(first, field);
  const end = isAny ? field.most : last === undefined ? start : numberOf(last, field);
  const by = step === undefined ? 1 : numberOf(step);
  for (const each of [start, end, by]) if (typeof each === "string") return each;
  return boundsError(
    Number(start),
    step !== undefined && last === undefined ? field.most : Number(end),
    Number(by),
    part,
    field,
  );
}

function boundsError(
  start: number,
  end: number,
  step: number,
  part: string,
  { least, most }: Field,
): string | undefined {
  if (start < least) return `beginning of range (${start}) below minimum (${least}): ${part}`;
  if (end > most) return `end of range (${end}) above maximum (${most}): ${part}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${part}`;
  return step === 0 ? `step of range should be a positive number: ${part}` : undefined;
}

/** The number, or why it is none. */
function numberOf(text: string, { names = [], least }: Partial<Field> = {}): number | string {
  const named = names.indexOf(text.toLowerCase());
  if (named >= 0) return named + (least ?? 0);
  if (!/^[-+]?\d+$/.test(text))
    return `failed to parse int from ${text}: strconv.Atoi: parsing "${text}": invalid syntax`;
  const value = Number(text);
  return value < 0 ? `negative number (${value}) not allowed: ${text}` : value;
}
