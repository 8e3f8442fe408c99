import { describe, expect, test } from "vitest";
import { goModule, obstacleToBuilding } from "./go-module.ts";

describe("goModule", () => {
  test("reads the etcd version and the Go it wants", () => {
    const goMod = `module example/tools/etcd-3.6

go 1.26.0

require (
	go.etcd.io/etcd/etcdctl/v3 v3.6.15
	go.etcd.io/etcd/server/v3 v3.6.16
)
`;
    expect(goModule("/tools/etcd-3.6", goMod)).toEqual({ version: "3.6.16", go: "1.26.0", dir: "/tools/etcd-3.6" });
  });

  test("reads a requirement on a line of its own", () => {
    const goMod = "module x\ngo 1.24\nrequire go.etcd.io/etcd/server/v3 v3.5.21\n";
    expect(goModule("/x", goMod)).toMatchObject({ version: "3.5.21", go: "1.24" });
  });

  test("is nothing for a module that builds something else", () => {
    expect(goModule("/x", "module x\ngo 1.25.0\nrequire k8s.io/kubernetes v1.34.0\n")).toBeUndefined();
  });
});

describe("obstacleToBuilding", () => {
  const module = { version: "3.6.16", go: "1.26.0", dir: "/tools/etcd-3.6" };

  test.each(["go1.26.0", "go1.26", "go1.26.8", "go1.27rc1", "devel go1.27-4a1b2c3 linux/amd64", "unreadable"])(
    "sees none with %s",
    (goVersion) => {
      expect(obstacleToBuilding(module, goVersion)).toBeUndefined();
    },
  );

  test.each(["go1.25.9", "go1.9", "go1.26rc2"])("says what is wanted where there is only %s", (goVersion) => {
    expect(obstacleToBuilding(module, goVersion)).toBe(
      `needs Go 1.26.0 or newer, and the Go on the PATH is ${goVersion.slice(2)}`,
    );
  });

  test("says what is wanted where there is no Go", () => {
    expect(obstacleToBuilding(module, undefined)).toBe("needs Go 1.26.0 or newer on the PATH");
  });
});
