import { expect, test } from "vitest";
import { etcdEnvironment } from "./binaries-folder.ts";

test("etcd sees none of the caller's ETCD_ variables, which it would take as flags", () => {
  const env = etcdEnvironment({ PATH: "/bin", ETCD_BIN_DIR: "/x", ETCD_NAME: "wrong", ETCDCTL_API: "3" });
  expect(env).toMatchObject({ PATH: "/bin", ETCDCTL_API: "3" });
  expect(env).not.toHaveProperty("ETCD_BIN_DIR");
  expect(env).not.toHaveProperty("ETCD_NAME");
});

test("etcd before 3.5 is told that arm64 is wanted; amd64 needs no such word", () => {
  expect(etcdEnvironment({}, "arm64")).toEqual({ ETCD_UNSUPPORTED_ARCH: "arm64" });
  expect(etcdEnvironment({}, "x64")).toEqual({});
});
