import { ACCIDENT_IDS, type AccidentId } from "./accident.ts";
import { ACCIDENT_WORDS } from "./accident-words.ts";
import { OUTCOMES } from "./outcome.ts";
import { cellOf } from "./table.ts";

/** `docs/operations/what-can-happen.md`: what the plans of this suite show, for people who run clusters. */
export function whatCanHappen(): string {
  return `${[...INTRODUCTION, ...accidents(), ...pairs(), ...outcomes(), ...END].join("\n")}\n`;
}

const INTRODUCTION = [
  "# What can happen",
  "",
  "What becomes of a cluster's data in nine accidents, and in every sequence of two of them, and what you have to do. It holds for clusters of three",
  "members with claims, with the default `persistentVolumeClaimRetentionPolicy`, and with an EtcdBackup. Each cell of the second table is a test:",
  "`make faults SUITE=lineages` causes the accidents under a client that writes, and looks for every write that was acknowledged.",
  "",
];

function accidents(): readonly string[] {
  const rows = ACCIDENT_IDS.map((id) => {
    const { title, how, shows, human } = ACCIDENT_WORDS[id];
    return row([`**${title}**`, how, shows, human]);
  });
  return [
    ...["## The accidents", ""],
    ...[row(["Accident", "What happens", "What you see", "What you do"]), "|---|---|---|---|", ...rows, ""],
  ];
}

function pairs(): readonly string[] {
  const column = (id: AccidentId) => ACCIDENT_WORDS[id].column;
  const rows = ACCIDENT_IDS.map((first) => {
    const letters = ACCIDENT_IDS.map((second) => OUTCOMES[cellOf(first, second).outcome].letter);
    return row([`**${ACCIDENT_WORDS[first].title}**`, ...letters]);
  });
  return [
    ...["## Two accidents", ""],
    "The first accident by row, the second by column; the second comes while the first is being dealt with. What you do about each is in the table above;",
    "the letter says how the two end, and what has to be done besides.",
    ...["", row(["First ↓, second →", ...ACCIDENT_IDS.map(column)]), `|---|${ACCIDENT_IDS.map(() => ":-:|").join("")}`],
    ...[...rows, ""],
  ];
}

function outcomes(): readonly string[] {
  const rows = Object.values(OUTCOMES).map(({ letter, title, what, human, keeps }) =>
    row([`**${letter}**`, title, what, human, keeps]),
  );
  return [
    ...["## How they end", ""],
    ...[row(["", "", "What happens", "What you do", "What is kept of acknowledged writes"]), "|---|---|---|---|---|"],
    ...[...rows, ""],
  ];
}

const END = [
  "In no case is a new, empty cluster bootstrapped beside existing data, a volume or a backup deleted that has acknowledged writes which are nowhere else, or",
  "`Available` reported while clients cannot write.",
  "",
  "See also: [restore](restore.md), [QuorumLost](quorum-lost.md), [a member was replaced](member-replaced.md), [a volume was refused](volume-refused.md),",
  "[an EtcdCluster was deleted by accident](deleted-by-accident.md), [StatusUnreadable](status-unreadable.md).",
];

function row(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}
