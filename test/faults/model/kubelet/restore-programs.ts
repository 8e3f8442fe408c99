import { createHash } from "node:crypto";
import { SnapshotCheck } from "@etcd-operator/etcd-client";
import { ObjectStoreError } from "@etcd-operator/object-store";
import type { Outside } from "@etcd-operator/operator/restore/start-work.ts";
import { RESTORED_VALUE, SNAPSHOT_FILE } from "@etcd-operator/operator/transfer/names.ts";
import { AppliedState } from "../etcd/applied-state.ts";
import { type Disk, newDataDir } from "../etcd/disk.ts";
import { clusterIdOf } from "../etcd/ids.ts";
import { keysIn, restoredKeys } from "../etcd/snapshot.ts";
import { founderOf } from "../etcd/start.ts";
import type { EtcdModel } from "../etcd-model.ts";
import { finishedProgram, idleProgram, type Program, type ProgramEnd } from "./program.ts";

const RESTORING = "restoring-pod-uid";

/** The pods that wait for a snapshot, by the address at which they do. */
export class Receivers {
  readonly #waiting = new Map<string, (snapshot: Uint8Array) => void>();

  /** The program that waits for one snapshot, unless it is there already. */
  receive(address: string, place: { data: Disk; snapshot: Disk; podUid: string; once: string }): Program {
    const { data, snapshot, podUid, once } = place;
    if (once === RESTORED_VALUE) return finishedProgram({ exitCode: 0 });
    const isOurs = Buffer.from(data.files.get(RESTORING) ?? []).toString() === podUid;
    if (!isOurs && !data.isEmpty) {
      return finishedProgram({ exitCode: 1, message: "worker: holds data that was not restored in this pod" });
    }
    data.clear();
    data.files.set(RESTORING, Buffer.from(podUid));
    if (snapshot.files.has(SNAPSHOT_FILE)) return finishedProgram({ exitCode: 0 });
    const program = idleProgram();
    this.#waiting.set(address, (bytes) => {
      snapshot.files.set(SNAPSHOT_FILE, bytes);
      program.end({ exitCode: 0 });
    });
    void program.ended.then(() => this.#waiting.delete(address));
    return { ...program, stop: () => program.end({ exitCode: 1, message: "worker: stopped" }) };
  }

  /** What the operator sends a snapshot with. */
  readonly push: Outside["push"] = async ({ address }, source, { sha256, onProgress, signal }) => {
    const operation = `send a snapshot to ${address}`;
    const chunks: Uint8Array[] = [];
    for await (const chunk of source) {
      signal?.throwIfAborted();
      chunks.push(Uint8Array.from(chunk));
    }
    const bytes = Buffer.concat(chunks);
    const arrived = this.#waiting.get(address);
    if (!arrived) throw new ObjectStoreError("unavailable", { operation, message: "there is no listener" });
    const check = new SnapshotCheck();
    check.update(bytes);
    if (check.verdict() !== "ok" || createHash("sha256").update(bytes).digest("hex") !== sha256) {
      throw new ObjectStoreError("corrupt", { operation, message: "what arrived is not what was sent" });
    }
    onProgress?.(bytes.length);
    arrived(bytes);
  };
}

/** The tool that makes a data directory of a snapshot. */
export function restoreOn(
  etcd: EtcdModel,
  pod: string,
  command: readonly string[],
  { data, snapshot }: { data: Disk; snapshot: Disk },
): ProgramEnd {
  if (command.includes(RESTORED_VALUE)) return { exitCode: 0 };
  const value = (flag: string) => command.find((word) => word.startsWith(`--${flag}=`))?.slice(flag.length + 3);
  const [name = "", peerUrl = ""] = (value("initial-cluster") ?? "").split("=");
  const token = value("initial-cluster-token") ?? "etcd-cluster";
  const held = keysIn(snapshot.files.get(SNAPSHOT_FILE) ?? new Uint8Array(0));
  if (!held) return { exitCode: 1, message: `Error: open ${SNAPSHOT_FILE}: no such file, or no snapshot` };
  if (!data.isEmpty) return { exitCode: 1, message: "Error: data-dir not empty or could not be read" };
  const founder = founderOf(name, peerUrl, token);
  const bump = BigInt(value("bump-revision") ?? 0);
  const base = new AppliedState(restoredKeys(held, bump, command.includes("--mark-compacted")));
  base.index = 1;
  base.term = 1;
  base.members = new Map([[founder.id, founder]]);
  const clusterId = clusterIdOf([founder.id]);
  data.data = newDataDir({ memberId: founder.id, clusterId }, base);
  etcd.facts.clusters.push({ atMs: etcd.clock.now(), clusterId, how: "restored", token, by: [pod] });
  return { exitCode: 0 };
}
