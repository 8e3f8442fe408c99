import { Cron } from "croner";
import * as z from "zod";
import { matching, type Rule, withRules } from "../schema/rule.ts";

const FIELD = "[0-9A-Za-z*/,?#-]+";
const MACRO = "@(yearly|annually|monthly|weekly|daily|midnight|hourly)";

const looksLikeCron = matching(
  `^(${MACRO}|${FIELD}( +${FIELD}){4})$`,
  "'{}' is not a cron schedule: write five fields (minute hour day-of-month month day-of-week) such as '0 3 * * *', or @daily",
);

// CEL cannot parse cron, so the API server checks the shape only; the operator reports the rest in a condition.
const isCron: Rule<string> = {
  ...looksLikeCron,
  holds: (text) => looksLikeCron.holds(text) && isAccepted(() => mustFire(text)),
};

const isTimeZone: Rule<string> = {
  ...matching(
    "^[A-Za-z][A-Za-z0-9_+/-]*$",
    "'{}' is not a time zone: write an IANA name such as 'Europe/Berlin' or 'UTC'",
  ),
  holds: (text) => isAccepted(() => new Intl.DateTimeFormat("en", { timeZone: text })),
};

export const schedule = () => withRules(z.string().max(128), [isCron]);
export const timeZone = () => withRules(z.string().max(64), [isTimeZone]);

/** Throws on an invalid schedule, and on one that never fires, such as the 31st of February. */
function mustFire(text: string): void {
  const cron = new Cron(text, { paused: true, mode: "5-part" });
  if (cron.nextRun(new Date(0)) === null) throw new RangeError(`'${text}' never fires`);
}

function isAccepted(attempt: () => unknown): boolean {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
}
