import type { Endpoint, EtcdClient } from "@etcd-operator/etcd-client";
import { healthCheck } from "@etcd-operator/etcd-client";
import type { CallOptions, ClientOptions } from "@etcd-operator/etcd-client/call-options.ts";
import type { TransactionResult } from "@etcd-operator/etcd-client/transaction.ts";
import type { EtcdModel } from "../etcd-model.ts";
import type { Applied } from "./applied-state.ts";
import type { Change, Entry } from "./entry.ts";
import type { EtcdProcess } from "./etcd-process.ts";
import { keyCalls } from "./key-calls.ts";
import { maintenanceCalls } from "./maintenance-calls.ts";
import { membershipCalls } from "./membership-calls.ts";
import type { Patience } from "./waiting-room.ts";

export interface Agreed {
  readonly entry: Entry;
  readonly result: TransactionResult | undefined;
}

/** One call to one member. */
export interface Call {
  readonly process: EtcdProcess;
  readonly patience: Patience;
  /** The leader as the member sees it, as soon as there is one that reaches a majority. */
  leader(): Promise<EtcdProcess>;
  /** Has something agreed on, and applied by the member. */
  agree(change: Change): Promise<Agreed>;
}

export interface CallNeeds {
  readonly operation: string;
  /** Whether learners answer it. */
  readonly ofLearners?: boolean;
  readonly timeoutMs?: number;
}

/**
 * Makes a call: finds the listener, waits for an answer, and checks that it comes from the intended cluster.
 */
export type MakeCall = <T>(
  needs: CallNeeds,
  options: CallOptions | undefined,
  run: (call: Call) => T | Promise<T>,
) => Promise<T>;

const TIMEOUT_MS = 5_000;

/** Calls the member at an address as the real client would. */
export function modelClient(model: EtcdModel, endpoint: Endpoint, given: ClientOptions): EtcdClient {
  const closing = { isClosed: false };
  const make: MakeCall = async (needs, options = {}, run) => {
    const timeoutMs = options.timeoutMs ?? needs.timeoutMs ?? given.timeoutMs ?? TIMEOUT_MS;
    const patience = model.waiting.patience(needs.operation, endpoint.address, options, timeoutMs);
    // An answer never comes before the question has been asked.
    await undefined;
    if (closing.isClosed) throw patience.fail("canceled", "the client was closed");
    const process = await reached(model, endpoint, patience);
    const expected = options.expectClusterId ?? given.expectClusterId;
    if (expected !== undefined && process.data.clusterId !== expected) {
      const [actual, wanted] = [process.data.clusterId.toString(16), expected.toString(16)];
      throw patience.fail("wrong-cluster", `it belongs to cluster ${actual}, not to ${wanted}`);
    }
    if (process.isLearner && !needs.ofLearners) {
      throw patience.fail("not-for-learners", "etcdserver: rpc not supported for learner");
    }
    return run(callOf(model, process, patience));
  };
  const keys = keyCalls(model, make, endpoint.address);
  const care = maintenanceCalls(model, make);
  return {
    endpoint: endpoint.address,
    ...membershipCalls(model, make),
    ...care,
    ...keys,
    ...healthCheck({ range: keys.range, status: care.status }),
    close() {
      closing.isClosed = true;
    },
  };
}

async function reached(model: EtcdModel, { address, tls }: Endpoint, patience: Patience): Promise<EtcdProcess> {
  const first = model.listenerAt(address);
  if (!first) throw patience.fail("unavailable", `connect ECONNREFUSED ${address}`);
  if (first.flags?.listensWithTls && !tls) throw patience.fail("unavailable", "socket hang up");
  if (!first.flags?.listensWithTls && tls) throw patience.fail("tls", "wrong version number");
  return model.waiting.until(() => {
    if (first.phase === "ended") throw patience.fail("unavailable", "read ECONNRESET");
    return first.isServing && !first.isFrozen && !first.isHidden ? first : undefined;
  }, patience);
}

function callOf(model: EtcdModel, process: EtcdProcess, patience: Patience): Call {
  const raft = model.group(process.data.clusterId);
  const alive = <T>(look: () => T | undefined) =>
    model.waiting.until(() => {
      if (process.phase === "ended") throw patience.fail("unavailable", "read ECONNRESET");
      return process.isFrozen || process.isHidden ? undefined : look();
    }, patience);
  return {
    process,
    patience,
    leader: () => alive(() => raft.confirmedLeaderFor(process)),
    async agree(change) {
      const told: { outcome?: Applied } = {};
      const entry = await alive(() =>
        raft.propose(process, change, (outcome) => {
          told.outcome = outcome;
        }),
      );
      const outcome = await alive(() => told.outcome);
      if (outcome.kind === "refused") throw patience.fail(outcome.code, outcome.reason);
      return { entry, result: outcome.result };
    },
  };
}
