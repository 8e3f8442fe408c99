import type { ObjectStore, StoreTuning } from "@etcd-operator/object-store";

/** What a kind of store has to bring so that the contract can be run against it. */
export interface StoreHarness {
  /** Such as "S3 on versitygw". */
  readonly name: string;
  /** Why the server cannot be had on this machine. */
  readonly skip?: string | undefined;
  /** Of an object that is sent in three parts or more. */
  readonly severalPartsBytes: number;
  /** Whether a put goes on after its connection broke; otherwise it fails, and the caller begins again. */
  readonly resumesPuts: boolean;
  /**
   * Whole multiples of so many bytes of a request that broke are kept by the server, so that a put gets on even if all
   * break there.
   */
  readonly keptOfBrokenBytes?: number;
  /** Whether a place can be named that is not there. */
  readonly hasBuckets: boolean;
  /** What its servers answer when no room is left. */
  readonly fullAnswer: ScriptedAnswer;
  /** Starts the server with one empty bucket, and the proxy before it. */
  start(): Promise<StoreUnderTest>;
}

export interface StoreUnderTest {
  /** On the server's bucket, by way of the proxy; the tuning is to be passed on. Closed by the contract. */
  open(variation: StoreVariation, tuning: StoreTuning): Promise<ObjectStore>;
  /** Makes the connections to the server go wrong. */
  readonly faults: Faults;
  /** A part of the secret that must not be shown. */
  readonly canary: string;
  /** Names of what puts began on the server that is no object: parts, uploads, temporary files. */
  leftovers(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

export type StoreVariation =
  | "good"
  /** A user that the server does not know, or with the wrong key. */
  | "wrong-credentials"
  | "missing-bucket"
  /** At an address where nothing listens. */
  | "unreachable";

export interface ScriptedAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What the proxy before a server can do. Each call adds a fault; a fault that has no times left is gone. */
export interface Faults {
  /** Answers requests itself, without asking the server. */
  answer(fault: ScriptedAnswer & FaultScope): void;
  /** Breaks the connection when so many bytes of a request's body have passed; bodies that are no longer pass. */
  cutRequests(fault: FaultAt): void;
  /** The same for an answer's body; after 0 bytes means before the answer begins. */
  cutResponses(fault: FaultAt): void;
  /** Lets nothing more pass, and keeps the connection, when so many bytes of a request's body have passed. */
  stallRequests(fault: FaultAt): void;
  stallResponses(fault: FaultAt): void;
  /** Lets bodies pass at so many bytes a second, both ways. */
  slow(bytesPerSecond: number): void;
  /** Takes every fault away. */
  clear(): void;
  /** Method and path of what was asked since the last clear. */
  readonly requests: readonly string[];
}

export interface FaultScope {
  /** How many requests it hits; Infinity for all. */
  readonly times: number;
  /** Only those whose "<method> <path>" matches. */
  readonly only?: RegExp;
}

export interface FaultAt extends FaultScope {
  readonly afterBytes: number;
}
