import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { servesTls } from "./serves-tls.ts";

describe("whether a member serves TLS", () => {
  const cases: [what: string, command: string[], args: string[], serves: boolean][] = [
    ["as its command says", ["etcd", "--listen-client-urls=https://0.0.0.0:2379"], [], true],
    ["not when it listens without", ["etcd", "--listen-client-urls=http://0.0.0.0:2379"], [], false],
    [
      "whatever its peers do",
      ["etcd", "--listen-peer-urls=https://x:2380", "--listen-client-urls=http://x:2379"],
      [],
      false,
    ],
    ["in two words", ["etcd"], ["--listen-client-urls", "https://0.0.0.0:2379"], true],
    ["on one of several", ["etcd", "--listen-client-urls=http://127.0.0.1:2378,https://0.0.0.0:2379"], [], true],
    ["in a shell", ["/bin/sh", "-ec", "exec etcd --name=a --listen-client-urls=https://0.0.0.0:2379"], [], true],
    ["not when nothing is said", [], [], false],
  ];
  for (const [what, command, args, serves] of cases) {
    test(what, () => {
      const containers = [
        { name: "sidecar", command: ["x", "--listen-client-urls=https://x"] },
        { name: "etcd", command, args },
      ];
      assert.equal(servesTls({ spec: { containers } }), serves);
    });
  }
});
