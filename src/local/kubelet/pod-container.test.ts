import assert from "node:assert/strict";
import type { Container, Pod } from "kubernetes-types/core/v1.d.ts";
import { test } from "vitest";
import { aPod } from "../../../test/support/local/stored-objects.ts";
import { systemClock } from "../../kubernetes/clock.ts";
import type { Stored } from "../../kubernetes/kube-object.ts";
import type { Image } from "../images/image.ts";
import { standardBackOff } from "./back-off.ts";
import { type ContainerRecord, newRecord, type Termination } from "./container-record.ts";
import { ImageStore } from "./image-store.ts";
import type { NodeContext } from "./node-context.ts";
import { PodContainer } from "./pod-container.ts";

const termination: Termination = { exitCode: 0, reason: "Completed", startedAt: 1, finishedAt: 2, containerId: "c" };
const ended = { state: { kind: "terminated", termination }, hasRun: true, isReplaced: true } as const;
const run = { sandboxPid: 0, podIp: "10.0.0.2", volumes: new Map() };

function withImage(image: string, restartPolicy = "Always"): { pod: Stored<Pod>; container: Container } {
  const container = { name: "main", image };
  return { pod: aPod("p", { spec: { restartPolicy, containers: [container] } }), container };
}

/** A container whose images come when the test says so; nothing is ever started. */
function aContainer(record: Partial<ContainerRecord> = {}) {
  const refusals = new Map<string, (error: Error) => void>();
  const find = (image: string) => new Promise<Image>((_, reject) => refusals.set(image, reject));
  const images = new ImageStore(find, systemClock.now, standardBackOff);
  const told: string[] = [];
  let wake: () => void = () => undefined;
  const context = {
    ...{ images, clock: systemClock, backOff: standardBackOff, config: { stateDir: "/nowhere" } },
    events: { record: (_: unknown, { reason }: { reason: string }) => told.push(reason) },
  } as unknown as NodeContext;
  const container = new PodContainer(context, { ...newRecord("main", "old"), ...record }, () => wake());
  const start = (image: string, policy?: string) => {
    const { pod, container: wanted } = withImage(image, policy);
    return container.start(pod, wanted, run);
  };
  const refuse = async (image: string) => {
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    refusals.get(image)?.(new Error(`no ${image}`));
    await woken;
  };
  return { container, start, refuse, refusals, images, told };
}

test("an image that cannot be had is what the container waits for", async () => {
  const { container, start, refuse } = aContainer(ended);
  await start("bad");
  assert.deepEqual([container.record.state.kind, container.record.triedImage], ["terminated", "bad"]);
  await refuse("bad");
  assert.deepEqual(container.record.state, { kind: "waiting", reason: "ErrImagePull", message: "no bad" });
  assert.equal(container.record.last?.exitCode, 0);
  assert.equal(container.record.image, "old");
});

test("what becomes of an image that is no longer wanted does not matter", async () => {
  const { container, start, refuse, refusals, images } = aContainer(ended);
  await start("slow");
  await start("bad");
  refusals.get("slow")?.(new Error("no slow"));
  await images.pull("slow");
  assert.equal(container.record.state.kind, "terminated");
  await refuse("bad");
  assert.deepEqual(container.record.state, { kind: "waiting", reason: "ErrImagePull", message: "no bad" });
});

test("a container that is never restarted has one attempt at its new image", async () => {
  const { container, start, refuse, told } = aContainer(ended);
  await start("bad", "Never");
  assert.equal(container.record.isReplaced, true);
  await refuse("bad");
  assert.deepEqual([container.record.state.kind, container.record.isReplaced], ["terminated", false]);
  assert.ok(told.includes("Failed"));
});
