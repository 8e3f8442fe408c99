import type { Version } from "@etcd-operator/etcd-client";
import { AppliedState } from "./applied-state.ts";
import { type DataDir, type Disk, newDataDir } from "./disk.ts";
import type { MemberRecord } from "./entry.ts";
import type { EtcdProcess } from "./etcd-process.ts";
import type { EtcdFlags } from "./flags.ts";
import { clusterIdOf, memberIdOf } from "./ids.ts";

/** How an etcd begins on its directory, or why it ends. */
export type Start =
  | { readonly kind: "from-log" | "bootstrapped" | "joined"; readonly data: DataDir }
  | { readonly kind: "ended"; readonly why: string };

export interface StartScene {
  readonly flags: EtcdFlags;
  readonly version: Version;
  readonly disk: Disk;
  /** The member that answers at a peer URL, as far as the new one reaches it. */
  readonly peerAt: (url: string) => EtcdProcess | undefined;
}

/** What etcd makes of its directory and of its flags. The flags count only where there is no log. */
export function startOn(scene: StartScene): Start {
  const { disk, version } = scene;
  if (disk.damage === "log-unreadable") return ended("walpb: crc mismatch");
  if (disk.data) {
    const { minor } = disk.data.state;
    if (minor !== undefined && minor > version.minor) return ended(tooOld(minor));
    return { kind: "from-log", data: disk.data };
  }
  return scene.flags.state === "new" ? found(scene) : join(scene);
}

function found({ flags, peerAt }: StartScene): Start {
  const { initialCluster, token, name } = flags;
  const itself = initialCluster.find((member) => member.name === name);
  if (!itself || !flags.peerUrls.includes(itself.peerUrl)) {
    return ended(`couldn't find local name "${name}" in the initial cluster configuration`);
  }
  const members = initialCluster.map(({ name: each, peerUrl }) => founderOf(each, peerUrl, token));
  const memberId = memberIdOf([itself.peerUrl], token);
  // It asks the others whether it has been there before.
  for (const { peerUrl } of initialCluster) {
    const known = peerUrl === itself.peerUrl ? undefined : peerAt(peerUrl)?.data.state.members.get(memberId);
    if (known && known.clientUrls.length > 0)
      return ended(`member ${memberId.toString(16)} has already been bootstrapped`);
  }
  const base = new AppliedState();
  base.index = members.length;
  base.term = 1;
  base.members = new Map(members.map((member) => [member.id, member]));
  return {
    kind: "bootstrapped",
    data: newDataDir({ memberId, clusterId: clusterIdOf(members.map(({ id }) => id)) }, base),
  };
}

export function founderOf(name: string, peerUrl: string, token: string): MemberRecord {
  return { id: memberIdOf([peerUrl], token), name, peerUrls: [peerUrl], clientUrls: [], isLearner: false };
}

/** It asks the others for the list of members, which has to match its flags. */
function join({ flags, version, peerAt }: StartScene): Start {
  const { initialCluster, name } = flags;
  const others = initialCluster.filter((member) => member.name !== name);
  const peer = others.map(({ peerUrl }) => peerAt(peerUrl)).find((each) => each !== undefined);
  if (!peer)
    return ended(
      "cannot fetch cluster info from peer urls: could not retrieve cluster information from the given URLs",
    );
  const { state, clusterId } = peer.data;
  const listed = [...state.members.values()];
  if (listed.length !== initialCluster.length) return ended("error validating peerURLs: member count is unequal");
  const urls = new Set(listed.flatMap(({ peerUrls }) => peerUrls));
  if (initialCluster.some(({ peerUrl }) => !urls.has(peerUrl))) {
    return ended("error validating peerURLs: unmatched member while checking PeerURLs");
  }
  if (state.minor !== undefined && state.minor > version.minor) return ended(tooOld(state.minor));
  const itself = listed.find(({ peerUrls }) => flags.peerUrls.some((url) => peerUrls.includes(url)));
  if (!itself) return ended(`couldn't find local name "${name}" in the initial cluster configuration`);
  return { kind: "joined", data: newDataDir({ memberId: itself.id, clusterId }) };
}

function tooOld(minor: number): string {
  return `invalid downgrade; server version is lower than determined cluster version 3.${minor}`;
}

function ended(why: string): Start {
  return { kind: "ended", why };
}
