import type { Certificate } from "./certificate.ts";
import type { Finding, Severity } from "./finding.ts";
import type { Place, Pool } from "./material.ts";

const DAY_MS = 86_400_000;

/** When we warn of an end to come. */
const WARN_AT_DAYS = [1, 7, 30];

/** Whether a certificate has begun, has not ended, and will not end soon. */
export function checkValidity(
  { secret, key }: Place,
  { subject, notBeforeMs, notAfterMs }: Certificate,
  nowMs: number,
  severity: Severity = "defect",
): readonly Finding[] {
  const found = { severity, secret, key };
  if (nowMs < notBeforeMs) {
    const defect = `holds '${subject}', which is not valid before ${textOf(notBeforeMs)}`;
    return [{ ...found, code: "not-yet-valid", defect, remedy: "wait until then, or correct the clocks" }];
  }
  if (nowMs > notAfterMs) {
    const defect = `holds '${subject}', which expired at ${textOf(notAfterMs)}`;
    return [{ ...found, code: "expired", defect, remedy: "reissue it" }];
  }
  const withinDays = WARN_AT_DAYS.find((days) => notAfterMs - nowMs <= days * DAY_MS);
  if (withinDays === undefined) return [];
  const soon = withinDays === 1 ? "a day" : `${withinDays} days`;
  const defect = `holds '${subject}', which expires within ${soon}, at ${textOf(notAfterMs)}`;
  return [{ ...found, code: "expires-soon", severity: "warning", defect, remedy: "reissue it", withinDays }];
}

/** Expired authorities in a bundle: they may not be needed any more, but should be reviewed. */
export function checkLeftover(pool: Pool | undefined, nowMs: number): readonly Finding[] {
  if (!pool) return [];
  return pool.certificates
    .flatMap((certificate) => checkValidity(pool, certificate, nowMs, "warning"))
    .filter(({ code }) => code === "expired")
    .map((finding) => ({ ...finding, remedy: "remove it from the bundle" }));
}

export function isValidAt({ notBeforeMs, notAfterMs }: Certificate, nowMs: number): boolean {
  return notBeforeMs <= nowMs && nowMs <= notAfterMs;
}

function textOf(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(".000Z", "Z");
}
