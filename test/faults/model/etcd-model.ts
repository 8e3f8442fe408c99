import type { Alarm, Endpoint, EtcdClient } from "@etcd-operator/etcd-client";
import type { ClientOptions } from "@etcd-operator/etcd-client/call-options.ts";
import type { Clock } from "@etcd-operator/kubernetes-client";
import type { Random } from "../../model/random.ts";
import { Disk, entryAt } from "./etcd/disk.ts";
import type { MemberRecord } from "./etcd/entry.ts";
import { EtcdProcess, type Launch } from "./etcd/etcd-process.ts";
import { EtcdFacts, type WriteAcknowledged } from "./etcd/facts.ts";
import { parseFlags } from "./etcd/flags.ts";
import { modelClient } from "./etcd/model-client.ts";
import { Network } from "./etcd/network.ts";
import { RaftGroup } from "./etcd/raft-group.ts";
import { recordStart } from "./etcd/record-start.ts";
import { type Start, startOn } from "./etcd/start.ts";
import { VersionMonitor } from "./etcd/version-monitor.ts";
import { WaitingRoom } from "./etcd/waiting-room.ts";

export interface EtcdModelOptions {
  readonly clock: Clock;
  readonly random: Random;
}

const START_MS = { least: 100, spread: 400 };
const LINK_MS = { least: 20, spread: 80 };
/** From 3.5 on a member answers clients by then, whether or not it has found a leader. */
const SERVE_ANYWAY_MS = 5_000;

interface Group {
  readonly raft: RaftGroup;
  readonly versions: VersionMonitor;
}

/** All the etcds of a world, and all the volumes that they run on. */
export class EtcdModel {
  readonly facts = new EtcdFacts();
  readonly clock: Clock;
  readonly waiting: WaitingRoom;
  readonly #random: Random;
  readonly #processes = new Set<EtcdProcess>();
  readonly #groups = new Map<bigint, Group>();
  readonly #disks = new Map<string, Disk>();
  readonly #network = new Network();

  constructor({ clock, random }: EtcdModelOptions) {
    this.clock = clock;
    this.#random = random;
    this.waiting = new WaitingRoom(clock);
  }

  /** A client of the member at an address. */
  readonly connect = (endpoint: Endpoint, options: ClientOptions = {}): EtcdClient =>
    modelClient(this, endpoint, options);

  /** A volume, which is empty before its first use. */
  disk(id: string): Disk {
    const known = this.#disks.get(id);
    if (known) return known;
    const disk = new Disk(id);
    this.#disks.set(id, disk);
    return disk;
  }

  /** The volume is gone for good. */
  dropDisk(id: string): void {
    this.#disks.delete(id);
  }

  /** Starts an etcd, which takes a moment. */
  run(launch: Launch): EtcdProcess {
    const process = new EtcdProcess(launch);
    process.side = this.#network.sideOf(launch.pod);
    process.isHidden = this.#network.isHidden(launch.pod);
    this.#processes.add(process);
    const cancel = this.#after(START_MS, () => this.#begin(process));
    void process.ended.then(cancel);
    return process;
  }

  /** Those that have not ended. */
  get processes(): readonly EtcdProcess[] {
    return [...this.#processes];
  }

  processOf(pod: string): EtcdProcess | undefined {
    return this.processes.find(({ launch, phase }) => launch.pod === pod && phase !== "ended");
  }

  listenerAt(address: string): EtcdProcess | undefined {
    return this.processes.find(({ launch, phase }) => phase === "running" && address === `${launch.ip}:2379`);
  }

  group(clusterId: bigint): RaftGroup {
    return this.#group(clusterId).raft;
  }

  /** The members of the cluster behind a headless Service, as its leader knows them; none where there is no leader. */
  membersOf(service: string): readonly MemberRecord[] {
    const leader = this.processes.find(
      ({ role, launch }) => role === "leader" && launch.host.split(".")[1] === service,
    );
    return [...(leader?.data.state.members.values() ?? [])];
  }

  /** Ends a process as SIGTERM does: a leader hands over first. One that is frozen does not get it. */
  stop(process: EtcdProcess): void {
    if (process.isFrozen || process.phase === "ended") return;
    const raft = process.hasData ? this.group(process.data.clusterId) : undefined;
    const successor = process.role === "leader" ? raft?.successorOf(process) : undefined;
    if (successor) raft?.transfer(process, successor);
    this.#after({ least: 20, spread: 200 }, () => this.end(process, 0, "received terminated signal"));
  }

  /** Ends a process at once. */
  end(process: EtcdProcess, exitCode: number, message: string): void {
    if (process.phase === "ended") return;
    const started = this.facts.starts.findLast(
      ({ pod, endedAtMs }) => pod === process.launch.pod && endedAtMs === undefined,
    );
    if (started) Object.assign(started, { endedAtMs: this.clock.now(), exitCode });
    process.end({ exitCode, message });
    this.#processes.delete(process);
    if (process.hasData) this.group(process.data.clusterId).leave(process);
    this.waiting.pulse();
  }

  // Faults.

  /** The process of a pod is killed; its kubelet starts it again. */
  kill(pod: string): void {
    const process = this.processOf(pod);
    if (process) this.end(process, 137, "killed");
  }

  /** The process of a pod stops, and continues when asked to. */
  freeze(pod: string, isFrozen = true): void {
    const process = this.processOf(pod);
    if (!process) return;
    process.isFrozen = isFrozen;
    process.linkedSinceMs = this.clock.monotonic();
    this.#settleAll();
  }

  /** Only those reach each other that are on the same side; all others are on one together. */
  part(...sides: readonly (readonly string[])[]): void {
    this.#network.part(sides);
    for (const process of this.#processes) {
      const side = this.#network.sideOf(process.launch.pod);
      if (process.side !== side) process.linkedSinceMs = this.clock.monotonic();
      process.side = side;
    }
    this.#settleAll();
  }

  heal(): void {
    this.part();
  }

  /** Clients get no answer from a pod, though its peers do. */
  hide(pod: string, isHidden = true): void {
    this.#network.hide(pod, isHidden);
    const process = this.processOf(pod);
    if (process) process.isHidden = isHidden;
    this.waiting.pulse();
  }

  raise(pod: string, kind: Alarm["kind"]): void {
    const process = this.processOf(pod);
    if (!process) return;
    const alarm = { memberId: process.memberId, kind };
    this.group(process.data.clusterId).propose(process, { kind: "set-alarm", alarm, isRaised: true });
  }

  /** What was acknowledged to clients, and no possible leader has any more. */
  lostWrites(clusterId: bigint): WriteAcknowledged[] {
    const leader = this.group(clusterId).processes.find(({ role }) => role === "leader");
    if (!leader) return [];
    return this.facts.writes.filter(
      (write) => write.clusterId === clusterId && entryAt(leader.data, write.entry.index) !== write.entry,
    );
  }

  /** Ends everything. */
  close(): void {
    for (const { raft, versions } of this.#groups.values()) {
      raft.stop();
      versions.stop();
    }
  }

  #begin(process: EtcdProcess): void {
    if (process.phase === "ended") return;
    const { launch } = process;
    if (this.#isTaken(process)) return;
    const parsed = parseFlags(launch.command, launch.variables, launch.version);
    if (parsed.kind === "refused") {
      this.#giveUp(process, { kind: "ended", why: parsed.why }, 2);
      return;
    }
    const peerAt = (url: string) => this.#peerAt(url, process);
    const start = startOn({ flags: parsed.flags, version: launch.version, disk: launch.disk, peerAt });
    if (start.kind === "ended") {
      this.#giveUp(process, start, 1);
      return;
    }
    recordStart(this, process, start);
    launch.disk.data = start.data;
    launch.disk.damage = undefined;
    process.begin(start.data, parsed.flags);
    const { raft } = this.#group(start.data.clusterId);
    this.#after(LINK_MS, () => process.phase === "running" && raft.join(process));
    if (launch.version.minor >= 5) this.clock.after(SERVE_ANYWAY_MS, () => this.#serve(process));
    this.waiting.pulse();
  }

  /** etcd locks its directory, and waits until it is free. */
  #isTaken(process: EtcdProcess): boolean {
    const holder = this.processes.find(
      (other) => other !== process && other.phase === "running" && other.launch.disk === process.launch.disk,
    );
    if (!holder) return false;
    this.facts.violations.push(`${process.launch.pod} and ${holder.launch.pod} run on one volume at once`);
    void holder.ended.then(() => this.#begin(process));
    return true;
  }

  #giveUp(process: EtcdProcess, start: Extract<Start, { kind: "ended" }>, exitCode: number): void {
    recordStart(this, process, start);
    this.end(process, exitCode, start.why);
  }

  #serve(process: EtcdProcess): void {
    if (process.phase !== "running") return;
    process.isServing = true;
    this.waiting.pulse();
  }

  #peerAt(url: string, asker: EtcdProcess): EtcdProcess | undefined {
    const { hostname, protocol } = new URL(url);
    return this.processes.find(
      ({ launch, flags, isPresent, side }) =>
        isPresent &&
        side === asker.side &&
        launch.host === hostname &&
        flags?.peerUrls.some((own) => own.startsWith(protocol)),
    );
  }

  #group(clusterId: bigint): Group {
    const known = this.#groups.get(clusterId);
    if (known) return known;
    const { clock, facts } = this;
    const pulse = () => {
      versions.look();
      this.waiting.pulse();
    };
    const end = (process: EtcdProcess, exitCode: number, why: string) => this.end(process, exitCode, why);
    const raft = new RaftGroup({ clusterId, clock, random: this.#random, facts, end, pulse });
    const versions = new VersionMonitor(clock, raft);
    this.#groups.set(clusterId, { raft, versions });
    return { raft, versions };
  }

  #settleAll(): void {
    for (const { raft } of this.#groups.values()) raft.settle();
    this.waiting.pulse();
  }

  #after({ least, spread }: { least: number; spread: number }, run: () => void): () => void {
    return this.clock.after(least + this.#random.int(spread), run);
  }
}
