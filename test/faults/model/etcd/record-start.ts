import type { EtcdModel } from "../etcd-model.ts";
import type { EtcdProcess } from "./etcd-process.ts";
import type { Start } from "./start.ts";

type Begun = Exclude<Start, { kind: "ended" }>;

/** Writes down how a process starts, and what must not be about it. */
export function recordStart(model: EtcdModel, process: EtcdProcess, start: Start): void {
  const { pod, disk } = process.launch;
  const about = start.kind === "ended" ? { why: start.why } : identityOf(start);
  const [atMs, found, version] = [model.clock.now(), disk.directory, process.versionText];
  model.facts.starts.push({ atMs, pod, disk: disk.id, found, version, ...about, outcome: start.kind });
  if (start.kind === "ended") return;
  checkIdentity(model, process, start);
  if (start.kind === "bootstrapped") recordFounding(model, process, start);
}

/** No member may run twice at once, or forget what it has acknowledged. */
function checkIdentity(model: EtcdModel, { launch }: EtcdProcess, start: Begun): void {
  const { facts, processes } = model;
  const { memberId, clusterId } = start.data;
  const who = `member ${memberId.toString(16)} of cluster ${clusterId.toString(16)}`;
  const twin = processes.find(
    (other) => other.hasData && other.data.memberId === memberId && other.data.clusterId === clusterId,
  );
  if (twin) facts.violations.push(`${launch.pod} and ${twin.launch.pod} are both ${who}`);
  if (start.kind !== "from-log" && model.group(clusterId).hasVoted(memberId)) {
    facts.violations.push(`${launch.pod} starts empty on ${launch.disk.id} as ${who}, whose votes the others rely on`);
  }
}

/** Several may found one cluster together. */
function recordFounding({ facts, clock }: EtcdModel, { launch }: EtcdProcess, { data: { clusterId } }: Begun): void {
  const known = facts.clusters.find((each) => each.clusterId === clusterId);
  if (known) known.by.push(launch.pod);
  else {
    const flag = "--initial-cluster-token=";
    const token = launch.command.find((word) => word.startsWith(flag))?.slice(flag.length) ?? "";
    facts.clusters.push({ atMs: clock.now(), clusterId, how: "bootstrapped", token, by: [launch.pod] });
  }
}

function identityOf({ data: { memberId, clusterId } }: Begun) {
  return { memberId, clusterId };
}
