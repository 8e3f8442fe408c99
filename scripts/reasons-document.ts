import { readFileSync } from "node:fs";
import type { ConditionMeaning, Reason, ReasonsOfKind } from "@etcd-operator/operator/api/reason.ts";
import { backupReasons } from "@etcd-operator/operator/backup/reasons.ts";
import { clusterReasons } from "@etcd-operator/operator/cluster/reasons.ts";
import { restoreReasons } from "@etcd-operator/operator/restore/reasons.ts";

/** What every kind shows to programs, in the order of the document. */
export const REASONS_OF_KINDS: Readonly<Record<string, ReasonsOfKind>> = {
  EtcdCluster: clusterReasons,
  EtcdBackup: backupReasons,
  EtcdRestore: restoreReasons,
};

const INTRODUCTION = `# Conditions and Events

Of each kind: its conditions, their reasons, its Events, and the reasons that are in log lines only (field \`reason\`).
\`kubectl describe\` shows conditions and Events. How to read them is described in [status](../operations/status.md) and
[Events](../operations/events.md).
`;

/** docs/reference/conditions-and-events.md, from the tables of reasons. */
export function conditionsAndEvents(): string {
  return [INTRODUCTION, ...Object.entries(REASONS_OF_KINDS).map(([kind, told]) => kindSection(kind, told))].join("\n");
}

function kindSection(kind: string, told: ReasonsOfKind): string {
  const { reasons, conditions, events } = told;
  const shown = Object.values(conditions).flatMap((condition) => condition.reasons);
  const logged = Object.keys(reasons).filter((reason) => !shown.includes(reason) && !(reason in events));
  return [
    `## ${kind}`,
    `### Conditions of ${kind}\n\n| Condition | True | False | Unknown |\n|---|---|---|---|`,
    Object.entries(conditions).map(conditionRow).join(""),
    `### Reasons of the conditions of ${kind}\n\n| Reason | Conditions | Meaning | Runbook |\n|---|---|---|---|`,
    rowsOf([...new Set(shown)], reasons, (reason) => conditionsWith(reason, conditions)),
    `### Events of ${kind}\n\n| Reason | Type | Meaning | Runbook |\n|---|---|---|---|`,
    rowsOf(Object.keys(events), reasons, (reason) => events[reason]),
    ...(logged.length === 0
      ? []
      : [`### Log lines of ${kind}\n\n| Reason | Meaning | Runbook |\n|---|---|---|`, rowsOf(logged, reasons)]),
  ]
    .join("\n\n")
    .replaceAll(/\|\n+\|/g, "|\n|")
    .replaceAll(/\n{3,}/g, "\n\n");
}

function conditionRow([type, { whenTrue, whenFalse, whenUnknown = "" }]: [string, ConditionMeaning<string>]): string {
  return `| \`${type}\` | ${whenTrue} | ${whenFalse} | ${whenUnknown} |\n`;
}

function rowsOf(
  names: readonly string[],
  reasons: ReasonsOfKind["reasons"],
  where?: (name: string) => unknown,
): string {
  const rows = names.map((name) => {
    const reason = reasons[name];
    if (!reason) throw new Error(`the reason '${name}' is not documented`);
    return `| \`${name}\` |${where ? ` ${where(name)} |` : ""} ${reason.meaning} | ${linkTo(reason)} |\n`;
  });
  return rows.join("");
}

function conditionsWith(reason: string, conditions: ReasonsOfKind["conditions"]): string {
  const types = Object.entries(conditions).filter(([, condition]) => condition.reasons.includes(reason));
  return types.map(([type]) => `\`${type}\``).join(", ");
}

function linkTo({ runbook }: Reason): string {
  return runbook.startsWith("none: ") ? runbook : `[${headingOf(runbook)}](../operations/${runbook})`;
}

/** The heading that a runbook leads to; undefined where there is none. */
export function headingOf(runbook: string): string | undefined {
  const [page = "", section] = runbook.split("#");
  const headings = [...readFileSync(`docs/operations/${page}`, "utf8").matchAll(/^#+ (.*)$/gm)].map(
    ([, text = ""]) => text,
  );
  return section === undefined ? headings[0] : headings.find((heading) => anchorOf(heading) === section);
}

/** As GitHub makes it of a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, "")
    .replaceAll(" ", "-");
}
