import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { inMountOrder, type Mount, mountPoints, mountTable } from "./mount-plan.ts";

function bind(source: string, target: string, more: Partial<Mount> = {}): Mount {
  return { type: "bind", source, target, kind: "directory", ...more };
}

describe("mountPoints", () => {
  test("a mount of its own lies in the root", () => {
    assert.deepEqual(mountPoints("/r", [bind("/v/a", "/data")]), [{ path: "/r/data", kind: "directory" }]);
  });

  test("a mount inside another one of ours lies in the other's source", () => {
    const points = mountPoints("/r", [bind("/v/a", "/data", { isOurs: true }), bind("/v/b", "/data/wal")]);
    assert.deepEqual(points[1], { path: "/v/a/wal", kind: "directory" });
  });

  test("the innermost cover counts", () => {
    const points = mountPoints("/r", [
      bind("/v/a", "/data", { isOurs: true }),
      bind("/v/b", "/data/x", { isOurs: true }),
      bind("/v/f", "/data/x/f", { kind: "file" }),
    ]);
    assert.deepEqual(points[2], { path: "/v/b/f", kind: "file" });
  });

  test("nothing is ever made inside a folder of the machine", () => {
    assert.equal(mountPoints("/r", [bind("/usr", "/usr"), bind("/v/a", "/usr/share/a")]).length, 1);
  });

  test("a name that only starts the same is no cover", () => {
    const points = mountPoints("/r", [bind("/v/a", "/data", { isOurs: true }), bind("/v/b", "/database")]);
    assert.deepEqual(points[1], { path: "/r/database", kind: "directory" });
  });
});

test("outer mounts come before inner ones", () => {
  const order = inMountOrder([bind("c", "/a/b/c"), bind("a", "/a"), bind("b", "/a/b")]);
  assert.deepEqual(
    order.map(({ source }) => source),
    ["a", "b", "c"],
  );
});

test("the table is one line per mount, the root first, with blanks escaped", () => {
  const mounts: Mount[] = [
    bind("/v/my data", "/data", { options: ["ro"] }),
    { type: "proc", source: "proc", target: "/proc", kind: "directory" },
  ];
  assert.equal(
    mountTable("/r", mounts, true),
    "/r /r none bind,ro 0 0\n/v/my\\040data /r/data none bind,ro 0 0\nproc /r/proc proc defaults 0 0\n",
  );
});
