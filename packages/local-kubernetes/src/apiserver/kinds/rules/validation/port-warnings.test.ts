import { describe, expect, test } from "vitest";
import { portWarnings } from "./port-warnings.ts";

const port = { containerPort: 80, protocol: "TCP" };
const warned = (one: object, other: object) =>
  portWarnings({ containers: [{ ports: [one] }, { ports: [other] }] }, "spec");

describe("warnings about ports", () => {
  test.each([
    ["the same port twice", port, port, "duplicate"],
    ["a port with a port of the host and one without", { ...port, hostPort: 1 }, port, "overlapping"],
    [
      "one address of the host and all",
      { ...port, hostPort: 1 },
      { ...port, hostPort: 1, hostIP: "10.0.0.1" },
      "dangerously ambiguous",
    ],
  ])("%s are told of", (_, one, other, how) => {
    const [at, first] = ["spec.containers[1].ports[0]", "spec.containers[0].ports[0]"];
    expect(warned(one, other)).toEqual([`${at}: ${how} port definition with ${first}`]);
  });

  test.each([
    ["another protocol", { ...port, protocol: "UDP" }],
    ["another port", { ...port, containerPort: 81 }],
  ])("%s is nothing to tell of", (_, other) => {
    expect(warned(port, other)).toEqual([]);
  });

  test("init containers come first", () => {
    const spec = { containers: [{ ports: [port] }], initContainers: [{ ports: [port] }] };
    const [warning] = portWarnings(spec, "spec");
    expect(warning).toBe("spec.containers[0].ports[0]: duplicate port definition with spec.initContainers[0].ports[0]");
  });
});
