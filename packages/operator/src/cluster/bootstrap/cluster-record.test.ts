import { describe, expect, test } from "vitest";
import { formatClusterRecord, isSameRecord, newestRecord, parseClusterRecord } from "./cluster-record.ts";

const record = { term: 2, index: 9, version: "3.5.16", voters: { b: "http://b:2380", a: "http://a:2380" } };

describe("what a claim records of its cluster", () => {
  test("is read back as it was written", () => {
    expect(parseClusterRecord(formatClusterRecord(record))).toEqual(record);
    const { version: _, ...rest } = record;
    expect(parseClusterRecord(formatClusterRecord(rest))).toEqual(rest);
  });

  test.each([
    ["nothing", ""],
    ["no JSON", "{"],
    ["no object", "[1]"],
    ["no voters", '{"term":1,"index":1,"voters":{}}'],
    ["a list of voters", '{"term":1,"index":1,"voters":["a"]}'],
    ["a voter without an address", '{"term":1,"index":1,"voters":{"a":1}}'],
    ["a place that is no number", '{"term":"1","index":1,"voters":{"a":"u"}}'],
    ["more voters than any cluster has", JSON.stringify({ term: 1, index: 1, voters: manyVoters(17) })],
    ["far too much", `{"term":1,"index":1,"voters":{"a":"${"u".repeat(20_000)}"}}`],
  ])("is not there when it is %s", (_, text) => {
    expect(parseClusterRecord(text)).toBeUndefined();
  });

  test("is the same whenever and in whatever order it was written", () => {
    const voters = { a: "http://a:2380", b: "http://b:2380" };
    expect(isSameRecord(record, { ...record, term: 7, voters })).toBe(true);
    expect(isSameRecord(record, { ...record, version: "3.5.17" })).toBe(false);
    expect(isSameRecord(record, { ...record, voters: { a: "http://a:2380" } })).toBe(false);
  });

  test("counts where the log of the cluster had got furthest", () => {
    const at = (term: number, index: number) => ({ record: { ...record, term, index } });
    expect(newestRecord([at(1, 90), at(3, 1), {}, at(2, 95)])).toMatchObject({ term: 3, index: 1 });
    expect(newestRecord([{}])).toBeUndefined();
  });
});

function manyVoters(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [String(at), "u"]));
}
