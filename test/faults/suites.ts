import type { SuiteEntry } from "./run/suite-entry.ts";

/** Every suite, in the order in which they run and are reported: those on virtual time first. */
export const suites: readonly SuiteEntry[] = [
  {
    name: "writes",
    place: "in-process",
    minutes: 20,
    load: async () => (await import("./writes/writes-suite.ts")).writesSuite,
  },
  {
    name: "views",
    place: "in-process",
    minutes: 7,
    load: async () => (await import("./views/views-suite.ts")).viewsSuite,
  },
  {
    name: "fields",
    place: "in-process",
    minutes: 4,
    load: async () => (await import("./fields/fields-suite.ts")).fieldsSuite,
  },
  {
    name: "hands",
    place: "in-process",
    minutes: 4,
    load: async () => (await import("./hands/hands-suite.ts")).handsSuite,
  },
  {
    name: "lineages",
    place: "in-process",
    minutes: 3,
    load: async () => (await import("./lineages/lineages-suite.ts")).lineagesSuite,
  },
  {
    name: "liars",
    place: "in-process",
    minutes: 3,
    load: async () => (await import("./liars/suite.ts")).liarsSuite,
  },
  {
    name: "clocks",
    place: "in-process",
    minutes: 3,
    load: async () => (await import("./clocks/clocks-suite.ts")).clocksSuite,
  },
  {
    name: "admission",
    place: "in-process",
    minutes: 3,
    load: async () => (await import("./admission/admission-suite.ts")).admissionSuite,
  },
  {
    name: "mutants",
    place: "in-process",
    minutes: 2,
    load: async () => (await import("./mutants/mutants-suite.ts")).mutantsSuite,
  },
  {
    name: "writes-local",
    place: "local-mode",
    minutes: 8,
    load: async () => (await import("./writes-real/local-suite.ts")).writesLocalSuite,
  },
  {
    name: "writes-kube",
    place: "local-mode",
    minutes: 2,
    load: async () => (await import("./writes-real/kube-suite.ts")).writesKubeSuite,
    lack: async () => (await import("./writes-real/kube-lack.ts")).kubeLack(),
  },
  {
    name: "load",
    place: "local-mode",
    minutes: 8,
    load: async () => (await import("./load/suite.ts")).loadSuite,
  },
  {
    name: "amnesia",
    place: "local-mode",
    minutes: 8,
    load: async () => (await import("./amnesia/suite.ts")).amnesiaSuite,
  },
];
