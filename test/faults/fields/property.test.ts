import assert from "node:assert/strict";
import { kinds } from "@etcd-operator/operator/api/kinds.ts";
import { specFields } from "@etcd-operator/testing/scenario/cluster/spec-fields.ts";
import { describe, test } from "vitest";
import { derivedValues } from "./derived-values.ts";
import { backupEntries } from "./entries/backup-entries.ts";
import { clusterEntries } from "./entries/cluster-entries.ts";
import { restoreEntries } from "./entries/restore-entries.ts";
import { templateEntries } from "./entries/template-entries.ts";
import { sceneOf } from "./plays.ts";
import { type Property, propertiesOf } from "./property.ts";

const names = Object.keys(kinds) as (keyof typeof kinds)[];
const all = names.flatMap(propertiesOf);
const named = ({ kind, path }: Property) => `${kind}.${path}`;

describe("the properties of a kind", () => {
  test("are those of its CRD, with blocks, entries of lists and values of maps", () => {
    const paths = propertiesOf("EtcdCluster").map(({ path }) => path);
    for (const path of ["size", "pod", "pod.labels{}", "pod.tolerations[].key", "TLS.static.member.peerSecret"]) {
      assert.ok(paths.includes(path), path);
    }
    assert.deepEqual(
      specFields().filter((path) => !paths.includes(path)),
      [],
    );
  });

  test("have values, each of them: a new property needs an entry here", () => {
    const without = all.filter((property) => sceneOf(property).entries[property.path] === undefined);
    assert.deepEqual(without.map(named), []);
  });

  test("are all that there are values for", () => {
    const paths = (kind: (typeof names)[number]) => new Set(propertiesOf(kind).map(({ path }) => path));
    const unknown = (entries: object, known: ReadonlySet<string>) =>
      Object.keys(entries).filter((path) => !known.has(path));
    assert.deepEqual(unknown(clusterEntries, paths("EtcdCluster")), []);
    assert.deepEqual(unknown(backupEntries, paths("EtcdBackup")), []);
    assert.deepEqual(unknown({ ...restoreEntries, ...templateEntries }, paths("EtcdRestore")), []);
  });

  test("have another fate than the schema gives them only where the schema gives them one", () => {
    const wrong = all.flatMap((property) => {
      const derived = new Set(derivedValues(property).map(({ name }) => name));
      const { but = {} } = sceneOf(property).entries[property.path] ?? {};
      const isMeant = (name: string) => derived.has(name) || but[name] === "left-out";
      return Object.keys(but)
        .filter((name) => !isMeant(name))
        .map((name) => `${named(property)}: ${name}`);
    });
    assert.deepEqual(wrong, []);
  });
});
