import type { Probe } from "kubernetes-types/core/v1.d.ts";
import type { EtcdProcess, Launch } from "../etcd/etcd-process.ts";
import type { EtcdModel } from "../etcd-model.ts";
import type { Program } from "./program.ts";

/** An etcd as the program of a container. */
export function etcdProgram(etcd: EtcdModel, launch: Launch): Program {
  const process = etcd.run(launch);
  return {
    ended: process.ended,
    stop: () => etcd.stop(process),
    kill: () => etcd.end(process, 137, "killed"),
    answers: (probe) => answers(etcd, process, probe),
    onChange: (look) => etcd.waiting.onPulse(look),
  };
}

/** What the probes of the operator find out. */
function answers(etcd: EtcdModel, process: EtcdProcess, { httpGet }: Probe): boolean {
  if (process.phase !== "running" || process.isFrozen) return false;
  const path = httpGet?.path ?? "";
  const hasLeader = etcd.group(process.data.clusterId).confirmedLeaderFor(process) !== undefined;
  if (path.startsWith("/readyz")) {
    return process.isServing && hasLeader && !(process.isLearner && process.facts.learnerIsUnready);
  }
  if (path.startsWith("/health")) return process.isServing && hasLeader;
  return true;
}
