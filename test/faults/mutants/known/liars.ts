import type { Mutant } from "../mutant.ts";

/** What a server that lies can do where a limit is missing. */
export const liarMutants: readonly Mutant[] = [
  {
    name: "grpc-length-believed",
    reference: "one etcd endpoint that ends an operator which others share",
    bug: "Sets memory aside for whatever length an etcd announces.",
    patches: [
      {
        file: "etcd-client/src/grpc/frame.ts",
        find: "if (length <= mostBytes) return length;",
        replace: "return length;",
      },
    ],
    caughtBy: [
      "liars/etcd/members/huge-frame",
      "liars/etcd/range/larger-than-allowed",
      "liars/etcd/snapshot/huge-frame",
    ],
    failsWith: /memory grew by|took \d+ MiB of the liar|ended with '\w+' and not with too-large/,
  },
  {
    name: "grpc-messages-collected",
    reference: "one etcd endpoint that ends an operator which others share",
    bug: "Reads the messages of an answer until there are no more.",
    patches: [
      {
        file: "etcd-client/src/grpc/unary.ts",
        find: 'if (answer) throw new GrpcFailure(GrpcStatus.internal, "expected one message, got more");',
        replace: "",
      },
    ],
    caughtBy: ["liars/etcd/status/empty-frames", "liars/etcd/members/messages-without-end"],
    failsWith: /took \d+ MiB of the liar|ended with 'deadline' and not with unknown/,
  },
  {
    name: "s3-answers-read-to-their-end",
    reference: "one S3 endpoint that ends an operator which others share",
    bug: "Leaves errors and lists to the SDK, which reads them to their end, however long that takes.",
    patches: [
      {
        file: "object-store/src/s3/s3-connection.ts",
        find: "client.config.requestHandler = boundedHandler(client.config.requestHandler, idleTimeoutMs);",
        replace: "void boundedHandler;",
      },
    ],
    caughtBy: ["liars/s3/stat/dribbled-headers", "liars/s3/list/endless-error", "liars/s3/list/endless-answer"],
    failsWith: /took \d+ MiB of the liar|did not end|memory grew by/,
  },
  {
    name: "refusal-read-to-its-end",
    reference: "one endpoint that ends an operator which others share",
    bug: "Reads what a store says of a refusal, or as an answer, to its end.",
    patches: [
      {
        file: "object-store/src/bounded-body.ts",
        find: "if (size <= mostBytes) continue;",
        replace: "if (size > 0) continue;",
      },
    ],
    caughtBy: ["liars/gcs/stat/endless-refusal", "liars/abs/list/endless-error"],
    failsWith: /took \d+ MiB of the liar|did not end|memory grew by|ended with 'unavailable'/,
  },
  {
    name: "snapshot-of-nothing",
    reference: "one etcd endpoint that keeps an operator busy which others share",
    bug: "Reads a snapshot whose messages hold nothing, for as long as they come.",
    patches: [
      {
        file: "etcd-client/src/snapshot/snapshot.ts",
        find: "if (count > MOST_MESSAGES_PER_PIECE)",
        replace: "if (count < 0)",
      },
    ],
    caughtBy: ["liars/etcd/snapshot/empty-frames"],
    failsWith: /took \d+ MiB of the liar|an honest server was not read|ended with 'stalled'/,
  },
];
