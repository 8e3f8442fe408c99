import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { idleGuard } from "./idle-guard.ts";

describe("idleGuard", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test("ends what is silent for too long, and says that it was the silence", () => {
    const guard = idleGuard(undefined, 100);
    vi.advanceTimersByTime(99);
    expect(guard.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(guard.signal.aborted).toBe(true);
    expect(guard.isIdle).toBe(true);
  });

  test("leaves alone what moves, however long it takes", () => {
    const guard = idleGuard(undefined, 100);
    for (let n = 0; n < 50; n += 1) {
      vi.advanceTimersByTime(90);
      guard.touch();
    }
    expect(guard.signal.aborted).toBe(false);
    guard.end();
  });

  test("waits longer when told to, once", () => {
    const guard = idleGuard(undefined, 100);
    guard.touch(400);
    vi.advanceTimersByTime(499);
    expect(guard.signal.aborted).toBe(false);
    guard.touch();
    vi.advanceTimersByTime(100);
    expect(guard.isIdle).toBe(true);
  });

  test("does not count time in which there is no wait for the server", () => {
    const guard = idleGuard(undefined, 100);
    guard.rest();
    vi.advanceTimersByTime(10_000);
    expect(guard.signal.aborted).toBe(false);
    guard.touch();
    vi.advanceTimersByTime(100);
    expect(guard.isIdle).toBe(true);
  });

  test("ends with the caller's signal, and that is no silence", () => {
    const caller = new AbortController();
    const guard = idleGuard(caller.signal, 100);
    caller.abort();
    expect(guard.signal.aborted).toBe(true);
    vi.advanceTimersByTime(1_000);
    expect(guard.isIdle).toBe(false);
  });

  test("is over at once when the caller has called it off before", () => {
    const guard = idleGuard(AbortSignal.abort(), 100);
    expect(guard.signal.aborted).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("leaves nothing behind when it ends", () => {
    const caller = new AbortController();
    const guard = idleGuard(caller.signal, 100);
    guard.end();
    guard.touch();
    expect(guard.signal.aborted).toBe(true);
    expect(guard.isIdle).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });
});
