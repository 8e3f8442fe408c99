import assert from "node:assert/strict";
import { access, mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { aPod } from "@etcd-operator/testing/local/stored-objects.ts";
import type { Container, Pod } from "kubernetes-types/core/v1.d.ts";
import { describe, test } from "vitest";
import type { Image } from "../images/image.ts";
import { standardBackOff } from "./back-off.ts";
import { type ContainerRecord, newRecord, type Termination } from "./container-record.ts";
import { ImageStore } from "./image-store.ts";
import type { NodeContext } from "./node-context.ts";
import { discard, PodContainer } from "./pod-container.ts";

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
  const tells = new Map<string, (progress: string) => void>();
  const find = (image: string, tell: (progress: string) => void) => {
    tells.set(image, tell);
    return new Promise<Image>((_, reject) => refusals.set(image, reject));
  };
  const told: string[] = [];
  const messages: string[] = [];
  const timers: (() => void)[] = [];
  let nowMs = 0;
  const clock = {
    now: () => nowMs,
    after: (_: number, run: () => void) => {
      timers.push(run);
      return () => timers.splice(timers.indexOf(run) >>> 0, 1);
    },
  };
  const images = new ImageStore(find, clock.now, standardBackOff);
  /** The time until something is due goes by. */
  const wait = (ms: number) => {
    nowMs += ms;
    timers.shift()?.();
  };
  let wake: () => void = () => undefined;
  const context = {
    ...{ images, clock, backOff: standardBackOff, config: { stateDir: "/nowhere" } },
    events: {
      record: (_: unknown, { reason, message }: { reason: string; message: string }) => {
        told.push(reason);
        messages.push(message);
      },
    },
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
  return { container, start, refuse, refusals, tells, images, told, messages, timers, wait };
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

test("a build behind the pull of an image says so, with how long it takes, until it has ended", async () => {
  const { container, start, refuse, tells, messages, timers, wait } = aContainer();
  await start("etcd:v3.5.30");
  tells.get("etcd:v3.5.30")?.("etcd 3.5.30: getting it (built with Go)");
  wait(15_000);
  wait(15_000);
  const said = 'Pulling image "etcd:v3.5.30": etcd 3.5.30: getting it (built with Go)';
  assert.deepEqual(messages.slice(-3), [said, `${said}, for 15 s so far`, `${said}, for 30 s so far`]);
  const message = messages.at(-1);
  assert.deepEqual(container.record.state, { kind: "waiting", reason: "ContainerCreating", message });
  await refuse("etcd:v3.5.30");
  assert.equal(timers.length, 0);
});

describe("the folder of a container that has ended", () => {
  test("goes with all that is in it", async () => {
    const dir = await mkdtemp(join(tmpdir(), "discard-"));
    await mkdir(join(dir, "root"));
    await writeFile(join(dir, "root", "file"), "");
    await discard(dir);
    await assert.rejects(access(dir), { code: "ENOENT" });
  });

  test("does not take the kubelet with it when it cannot be removed yet", async () => {
    const busy = async () => {
      throw new Error("ENOTEMPTY: directory not empty, rmdir 'root'");
    };
    await discard("folder", busy);
  });
});
