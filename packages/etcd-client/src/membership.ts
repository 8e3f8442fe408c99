import type { CallOptions } from "./call-options.ts";
import type { Calls } from "./calls.ts";
import { EtcdError } from "./etcd-error.ts";
import { Cluster, type Member as WireMember } from "./protocol/generated/cluster_pb.ts";

export interface Member {
  readonly id: bigint;
  /** Empty until the member has started once. */
  readonly name: string;
  readonly peerUrls: readonly string[];
  readonly clientUrls: readonly string[];
  readonly isLearner: boolean;
}

/**
 * Who belongs to the cluster, and changing it. None of the changes is idempotent: after a failure, list before
 * repeating.
 */
export interface Membership {
  /**
   * The members as the majority knows them, so it fails without quorum. With `linearizable: false`, and from servers
   * before 3.5 whatever is asked, they come from the member's own copy, which may be behind.
   */
  members(options?: CallOptions & { linearizable?: boolean }): Promise<readonly Member[]>;
  /** A server before 3.4 knows no learners and adds a voter instead: look at its version first. */
  addMember(member: { peerUrls: readonly string[]; asLearner: boolean }, options?: CallOptions): Promise<Member>;
  /** Makes a voter of a learner; refused ("learner-not-ready") until it has caught up with the leader. */
  promoteMember(id: bigint, options?: CallOptions): Promise<readonly Member[]>;
  removeMember(id: bigint, options?: CallOptions): Promise<readonly Member[]>;
  updateMember(id: bigint, peerUrls: readonly string[], options?: CallOptions): Promise<readonly Member[]>;
}

const { memberList, memberAdd, memberPromote, memberRemove, memberUpdate } = Cluster.method;

export function membership(calls: Calls): Membership {
  return {
    async members(options = {}) {
      const call = { operation: "members", method: memberList, isRead: true };
      const request = { linearizable: options.linearizable ?? true };
      return (await calls.unary(call, request, options)).members.map(toMember);
    },
    async addMember({ peerUrls, asLearner }, options) {
      const operation = "addMember";
      const request = { peerURLs: [...peerUrls], isLearner: asLearner };
      const { member } = await calls.unary({ operation, method: memberAdd }, request, options);
      if (member) return toMember(member);
      throw new EtcdError("unknown", { operation, endpoint: calls.endpoint, reason: "the answer names no member" });
    },
    async promoteMember(id, options) {
      const call = { operation: "promoteMember", method: memberPromote };
      return (await calls.unary(call, { ID: id }, options)).members.map(toMember);
    },
    async removeMember(id, options) {
      const call = { operation: "removeMember", method: memberRemove };
      return (await calls.unary(call, { ID: id }, options)).members.map(toMember);
    },
    async updateMember(id, peerUrls, options) {
      const call = { operation: "updateMember", method: memberUpdate };
      return (await calls.unary(call, { ID: id, peerURLs: [...peerUrls] }, options)).members.map(toMember);
    },
  };
}

function toMember(member: WireMember): Member {
  return {
    id: member.ID,
    name: member.name,
    peerUrls: member.peerURLs,
    clientUrls: member.clientURLs,
    isLearner: member.isLearner,
  };
}
