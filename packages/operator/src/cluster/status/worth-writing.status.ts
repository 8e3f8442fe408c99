import { sortedJson } from "@etcd-operator/kubernetes-client";
import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import type { MemberStatus } from "./member-status.status.ts";

const MEBIBYTE = 1024 * 1024;

/**
 * Whether a status says anything new. Revisions and database sizes change with every write of a client; if each change
 * were written down, an idle operator would not be idle.
 */
export function isWorthWriting(old: EtcdClusterStatus | undefined, next: EtcdClusterStatus): boolean {
  if (!old) return true;
  const known = new Map((old.memberStatus ?? []).map((member) => [member.name, member]));
  return sortedJson(essence(old, known)) !== sortedJson(essence(next, known));
}

function essence({ databaseSize: _, ...status }: EtcdClusterStatus, known: ReadonlyMap<string, MemberStatus>): object {
  return {
    ...status,
    conditions: [...(status.conditions ?? [])].sort((a, b) => order(a.type, b.type)),
    members: { ready: [...(status.members?.ready ?? [])].sort(), unready: [...(status.members?.unready ?? [])].sort() },
    memberStatus: (status.memberStatus ?? []).map((member) => essenceOf(member, known)).sort(byName),
    memberIntents: [...(status.memberIntents ?? [])].sort(byName),
  };
}

function essenceOf({ revision: _, ...member }: MemberStatus, known: ReadonlyMap<string, MemberStatus>): MemberStatus {
  const before = known.get(member.name)?.databaseSizeBytes;
  return isAboutTheSame(before, member.databaseSizeBytes) ? { ...member, databaseSizeBytes: before } : member;
}

function isAboutTheSame(before: number | undefined, after: number | undefined): boolean {
  if (before === undefined || after === undefined) return before === after;
  const change = Math.abs(after - before);
  return change <= MEBIBYTE || change <= before / 10;
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return order(a.name, b.name);
}

function order(a: string, b: string): number {
  return a < b ? -1 : 1;
}
