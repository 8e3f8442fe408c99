import { type AdmissionCase, aCluster, aRestore, type Refusal, type Resource } from "./admission-case.ts";

const FIELD = "spec.pod.persistentVolumeClaimSpec";
const STORAGE_FIELD = `${FIELD}.resources.requests.storage`;

/** The claims of members, in a cluster and in what a restore makes one from. */
export const claimCases: readonly AdmissionCase[] = [...shrinking(), ...sizes(), ...modes(), ...templates()];

function claim(storage: string | number, accessModes?: readonly string[]) {
  return { persistentVolumeClaimSpec: { accessModes, resources: { requests: { storage } } } };
}

function claiming(...given: Parameters<typeof claim>): Resource {
  return aCluster({ pod: claim(...given) });
}

function allowed(name: string, object: Resource, previous?: Resource): AdmissionCase {
  return { name, kind: "EtcdCluster", object, ...(previous && { previous }) };
}

function refused(name: string, object: Resource, refusal: Refusal, previous?: Resource): AdmissionCase {
  return { ...allowed(name, object, previous), refused: refusal };
}

function shrinking(): AdmissionCase[] {
  const steps: readonly [from: string | number, to: string | number][] = [
    ["10Gi", "5Gi"],
    ["1Ti", "1000Gi"],
    ["1Gi", "1G"],
    ["1Gi", 1000],
    ["1.5Gi", "1.2Gi"],
    ["1Gi", "0.5Gi"],
    ["1Gi", "1.Ki"],
    ["1Gi", "1e9"],
    ["2E9", "1.5E9"],
    ["1E", "1E17"],
    ["2k", "1999000m"],
  ];
  return steps.map(([from, to]) => {
    const refusal = { field: STORAGE_FIELD, value: String(to), remedy: "at least the current size" };
    return refused(`storage that shrinks from ${from} to ${to}`, claiming(to), refusal, claiming(from));
  });
}

function sizes(): AdmissionCase[] {
  const noSize = (value: string) => ({ field: STORAGE_FIELD, value, remedy: "such as '10Gi'" });
  return [
    refused("storage that is no size", claiming("10 gigs"), noSize("10 gigs")),
    refused("storage in a unit that does not exist", claiming("10K"), noSize("10K")),
    refused("a claim without a size", aCluster({ pod: { persistentVolumeClaimSpec: { storageClassName: "fast" } } }), {
      field: FIELD,
      value: "",
      remedy: "such as '10Gi'",
    }),
    allowed("storage as a fraction", claiming("1.5Ti")),
    allowed("storage that grows", claiming("20Gi"), claiming("10Gi")),
    allowed("storage that grows by a fraction", claiming("1.5Gi"), claiming("1Gi")),
    allowed("storage that grows to a power of ten", claiming("2e9"), claiming("1.5Gi")),
    allowed("storage written in another unit", claiming("1024Mi"), claiming("1Gi")),
    allowed("storage written as a fraction of another unit", claiming("1.1T"), claiming("1100G")),
    allowed("storage written without its fraction", claiming("1100G"), claiming("1.1T")),
    allowed("storage that goes away with its claim", aCluster(), claiming("1Gi")),
  ];
}

function modes(): AdmissionCase[] {
  return [
    refused("a claim without a mode", claiming("1Gi", []), {
      field: `${FIELD}.accessModes`,
      value: "[]",
      remedy: "'ReadWriteOnce', or remove the field",
    }),
    refused("a mode without a name", claiming("1Gi", [""]), {
      field: `${FIELD}.accessModes[0]`,
      value: '""',
      remedy: "at least 1",
    }),
    allowed("a claim that leaves its mode to the operator", claiming("1Gi")),
    allowed("a claim with a mode", claiming("1Gi", ["ReadWriteOncePod"])),
    allowed("a mode of a Kubernetes to come", claiming("1Gi", ["ReadWriteOnceZone"])),
  ];
}

function templates(): AdmissionCase[] {
  const template = (...given: Parameters<typeof claim>) =>
    aRestore({ clusterTemplate: { spec: { size: 3, pod: claim(...given) } } });
  return [
    {
      name: "a template whose claims have no mode",
      kind: "EtcdRestore",
      object: template("1Gi", []),
      refused: {
        field: "spec.clusterTemplate.spec.pod.persistentVolumeClaimSpec.accessModes",
        value: "[]",
        remedy: "'ReadWriteOnce', or remove the field",
      },
    },
    // There is no cluster yet, and so no volume that would have to shrink.
    {
      name: "a template with smaller volumes than before",
      kind: "EtcdRestore",
      object: template("1Gi"),
      previous: template("2Gi"),
    },
  ];
}
