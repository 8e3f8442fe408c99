import assert from "node:assert/strict";
import { test } from "vitest";
import { sumByPart } from "./process-memory.ts";

const node = "node dist/local/local.mjs";
const aProcess = (pid: number, parent: number, command: string) => ({ pid, parent, command, residentMib: 1 });

test("every process that descends from local mode counts once, with the part that it belongs to", () => {
  const processes = [
    aProcess(1, 0, "init "),
    aProcess(2, 1, `${node} up --state .local `),
    aProcess(3, 2, "flock .local/lock "),
    aProcess(4, 2, "/cache/etcd --name=store --data-dir=.local/store "),
    aProcess(5, 2, `${node} part kubelet config.json `),
    aProcess(6, 5, "unshare --net "),
    aProcess(7, 6, "sleep 1000 "),
    aProcess(8, 1, `${node} part kubelet of-another.json `),
  ];
  assert.deepEqual(sumByPart(processes, 2), { supervisor: 2, store: 1, kubelet: 1, pods: 2 });
});
