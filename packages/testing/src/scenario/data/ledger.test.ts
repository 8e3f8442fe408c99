import assert from "node:assert/strict";
import type { KeyValue } from "@etcd-operator/etcd-client";
import { beforeEach, describe, test } from "vitest";
import { Ledger, type Write } from "./ledger.ts";

let ledger: Ledger;

beforeEach(() => {
  ledger = new Ledger("test/");
});

function stored({ key, value }: Pick<Write, "key" | "value">, revision: bigint, version = 1n): KeyValue {
  const [createRevision, modRevision] = [revision - version + 1n, revision];
  return { key: Buffer.from(key), value: Buffer.from(value), createRevision, modRevision, version, lease: 0n };
}

function acknowledged(revision: bigint): Write {
  const write = ledger.beginWrite();
  ledger.acknowledge(write, revision);
  return write;
}

function read(revision: bigint, ...keyValues: KeyValue[]): void {
  ledger.compare(ledger.expect(), { revision, keyValues }, "a reader");
}

describe("no promise is broken", () => {
  test("when a reader has all that was acknowledged", () => {
    const [one, two] = [acknowledged(2n), acknowledged(3n)];
    read(3n, stored(one, 2n), stored(two, 3n));
    ledger.assertUnbroken();
  });

  test("when a write of unknown outcome is there, or is not", () => {
    const [one, two] = [ledger.beginWrite(), ledger.beginWrite()];
    ledger.leaveUnknown(one);
    ledger.leaveUnknown(two);
    read(2n, stored(two, 2n));
    ledger.assertUnbroken();
  });

  test("when a write is acknowledged after a read began that does not show it", () => {
    const write = ledger.beginWrite();
    const expected = ledger.expect();
    ledger.acknowledge(write, 2n);
    ledger.compare(expected, { revision: 1n, keyValues: [] }, "a reader");
    ledger.assertUnbroken();
  });

  test("when a write is read before it is acknowledged", () => {
    const write = ledger.beginWrite();
    read(2n, stored(write, 2n));
    ledger.acknowledge(write, 2n);
    ledger.assertUnbroken();
  });
});

describe("a promise is broken", () => {
  test("when an acknowledged write is missing", () => {
    acknowledged(2n);
    read(2n);
    assert.throws(() => ledger.assertUnbroken(), /test\/000000000 \(revision 2\) was acknowledged; a reader does not/);
  });

  test("when a write of unknown outcome was read once, and is missing later", () => {
    const write = ledger.beginWrite();
    ledger.leaveUnknown(write);
    read(2n, stored(write, 2n));
    read(3n);
    assert.throws(() => ledger.assertUnbroken(), /had been read before; a reader does not have it/);
  });

  test("when a key has a value that no client wrote, or was never written", () => {
    const write = acknowledged(2n);
    read(2n, stored({ ...write, value: "other" }, 2n), stored({ key: "test/000000007", value: "any" }, 3n));
    assert.match(ledger.violations.join(), /'test\/000000000' = 'other', which no client wrote/);
    assert.match(ledger.violations.join(), /'test\/000000007' = 'any', which no client wrote/);
  });

  test("when a write that was refused is there", () => {
    const write = ledger.beginWrite();
    ledger.refuse(write);
    read(2n, stored(write, 2n));
    assert.throws(() => ledger.assertUnbroken(), /was refused; a reader has it/);
  });

  test("when a write was applied twice", () => {
    const write = acknowledged(3n);
    read(3n, stored(write, 3n, 2n));
    assert.throws(() => ledger.assertUnbroken(), /has version 2 of it/);
  });

  test("when a write is found at another revision than was acknowledged", () => {
    const write = acknowledged(2n);
    read(3n, stored(write, 3n));
    assert.throws(() => ledger.assertUnbroken(), /had revision 2, and now has 3/);
  });

  test("when two writes have one revision", () => {
    const [one, two] = [ledger.beginWrite(), ledger.beginWrite()];
    ledger.acknowledge(one, 2n);
    ledger.acknowledge(two, 2n);
    assert.throws(() => ledger.assertUnbroken(), /both have revision 2/);
  });

  test("when the revision of a later read or write is lower", () => {
    acknowledged(5n);
    const write = ledger.beginWrite();
    ledger.acknowledge(write, 4n);
    ledger.compare({ ...ledger.expect(), mustBeThere: [] }, { revision: 3n, keyValues: [] }, "a reader");
    assert.equal(ledger.violations.length, 2);
    assert.match(ledger.violations.join(), /acknowledged at revision 4, though 5 .*read at revision 3, though 5/);
  });
});

test("a ledger with many broken promises reports the first few, and how many there are", () => {
  for (let revision = 2n; revision < 22n; revision += 1n) acknowledged(revision);
  read(30n);
  assert.throws(() => ledger.assertUnbroken(), /^Error: 20 broken promises:\n(.*\n){10}and 10 more$/);
});

describe("a cluster that was restored from a backup", () => {
  test("keeps what was written up to its revision, and nothing that came later", () => {
    const [one, two] = [acknowledged(5n), acknowledged(6n)];
    assert.equal(ledger.restoredTo(5n), 1);
    read(5n, stored(one, 5n));
    ledger.assertUnbroken();
    read(7n, stored(two, 6n));
    assert.match(ledger.violations.join("\n"), /was written after the backup; a reader has it\n.*was acknowledged/);
  });
});
