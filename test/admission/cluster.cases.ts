import { type AdmissionCase, aCluster, aClusterRunning, type Refusal, type Resource } from "./admission-case.ts";
import { claimCases } from "./claim.cases.ts";

const LONGEST = "a".repeat(52);

export const clusterCases: readonly AdmissionCase[] = [
  allowed("blocks left blank", aCluster({ pod: null, TLS: null, etcd: null, version: null, paused: null })),
  ...sizes(),
  ...versions(),
  ...versionChanges(),
  ...addressChanges(),
  ...names(),
  ...podFields(),
  ...ownNotes(),
  ...environment(),
  ...tls(),
  ...durationsAndTunables(),
  ...claimCases,
];

function allowed(name: string, object: Resource, previous?: Resource): AdmissionCase {
  return { name, kind: "EtcdCluster", object, ...(previous && { previous }) };
}

function refused(name: string, object: Resource, refusal: Refusal, previous?: Resource): AdmissionCase {
  return { ...allowed(name, object, previous), refused: refusal };
}

function sizes(): AdmissionCase[] {
  return [
    refused("a size of 0", aCluster({ size: 0 }), { field: "spec.size", value: "0", remedy: "1" }),
    refused("a size of 8", aCluster({ size: 8 }), { field: "spec.size", value: "8", remedy: "7" }),
    refused(
      "a size that is missing",
      { metadata: { name: "example" }, spec: {} },
      {
        field: "spec.size",
        value: "",
        remedy: "equired",
      },
    ),
    ...[1, 2, 4, 7].map((size) => allowed(`a size of ${size}`, aCluster({ size }))),
  ];
}

function versions(): AdmissionCase[] {
  const refusedVersion = (version: string, remedy: string) =>
    refused(`version ${version}`, aCluster({ version }), { field: "spec.version", value: version, remedy });
  return [
    ...[
      "3.5",
      "latest",
      "3.5.x",
      "3.5.16-rc.1",
      "v3.6.0-alpha.0",
      "3.5.16-",
      "3.5.16-AMD64",
      "3.5.16_amd64",
      "3..5",
      "v",
      "3.05.16",
      "3.5.016",
    ].map((version) => refusedVersion(version, "major.minor.patch")),
    ...["3.5.0", "3.5.1", "v3.5.2", "v3.5.2-amd64"].map((version) => refusedVersion(version, "3.5.3 or newer")),
    ...["3.1.10", "3.8.0", "3.10.0", "2.3.8", "4.0.0"].map((version) => refusedVersion(version, "from 3.2 to 3.7")),
    ...["3.2.13", "v3.2.13", "v3.5.16", "v3.5.17-amd64", "3.5.16-eks-1-31-10", "3.5.3", "3.5.20", "3.7.3"].map(
      (version) => allowed(`version ${version}`, aCluster({ version })),
    ),
    allowed(
      "an empty version and repository, as coreos/etcd-operator accepted them",
      aCluster({ version: "", repository: "" }),
    ),
    allowed("no version", { metadata: { name: "example" }, spec: { size: 3 } }),
  ];
}

function versionChanges(): AdmissionCase[] {
  const change = (running: string, from: string, to: string) =>
    [aClusterRunning(running, to), aClusterRunning(running, from)] as const;
  const refusedChange = (name: string, [object, previous]: readonly [Resource, Resource]) =>
    refused(
      name,
      object,
      // Code names a changed version as it reads it.
      { field: "spec.version", value: String(object.spec.version).replace("v", ""), remedy: "adjacent minor" },
      previous,
    );
  const { version: _, ...noVersion } = aClusterRunning("3.5.30").spec;
  const unversioned = { ...aClusterRunning("3.5.30"), spec: noVersion };
  return [
    refusedChange("a changed version that skips a minor", change("3.4.23", "3.4.23", "3.6.16")),
    refusedChange("a changed version that skips a minor, written with a v", change("3.4.23", "3.4.23", "v3.6.16")),
    refusedChange(
      "a changed version with the build of an image that skips",
      change("3.4.23", "3.4.23", "v3.6.16-amd64"),
    ),
    allowed("another build of the image", ...change("3.5.17", "v3.5.17-amd64", "v3.5.17-arm64")),
    refusedChange("a changed version two minors below what runs", change("3.6.16", "3.6.16", "3.4.23")),
    refusedChange("a typo that becomes another typo", change("3.4.23", "3.6.16", "3.7.3")),
    allowed("an emptied version: what runs stays", ...change("3.5.30", "3.5.30", "")),
    allowed("a version that is taken out", unversioned, aClusterRunning("3.5.30")),
    allowed("a first version one minor above what runs", aClusterRunning("3.5.30", "3.6.16"), unversioned),
    refusedChange("a first version two minors above what runs", [aClusterRunning("3.5.30", "3.7.3"), unversioned]),
    allowed("a changed version one minor above what runs", ...change("3.4.23", "3.4.23", "3.5.30")),
    allowed("a changed version one minor below what runs", ...change("3.6.16", "3.6.16", "3.5.35")),
    allowed("a version two minors away that is corrected", ...change("3.4.23", "3.6.16", "3.5.30")),
    allowed("a half-way roll that is taken back", ...change("3.5.30", "3.6.16", "3.5.30")),
    allowed("another patch of what runs", ...change("3.5.16", "3.5.16", "3.5.30")),
    allowed(
      "a change of size beside a version that skips",
      aClusterRunning("3.4.23", "3.6.16", { size: 5 }),
      aClusterRunning("3.4.23", "3.6.16"),
    ),
    allowed(
      "another spelling of a version that skips",
      aClusterRunning("3.4.23", "v3.6.16"),
      aClusterRunning("3.4.23", "3.6.16"),
    ),
    allowed("any version while none runs", aCluster({ version: "3.7.3" }), aCluster({ version: "3.4.23" })),
    allowed(
      "any version while what runs is not known",
      aCluster({ version: "3.7.3" }),
      aCluster({ version: "3.4.23" }, "example", { currentVersion: "" }),
    ),
  ];
}

function addressChanges(): AdmissionCase[] {
  const RUNS = { clusterID: "c1", currentVersion: "3.5.16" };
  const running = (spec: object) => aCluster({ version: "3.5.16", ...spec }, "example", RUNS);
  const made = (spec: object) => aCluster({ version: "3.5.16", ...spec });
  const peers = (peerSecret: string) => ({ TLS: { static: { member: { peerSecret } } } });
  const clients = { TLS: { static: { member: { serverSecret: "s" }, operatorSecret: "o" } } };
  const domain = (ClusterDomain: string) => ({ pod: { ClusterDomain } });
  const refusedTls = (name: string, next: object, before: object, value: string) =>
    refused(name, made(next), { field: "spec.TLS", value, remedy: "revert the change" }, running(before));
  const refusedDomain = (name: string, next: object, before: object, value: string) =>
    refused(name, made(next), { field: "ClusterDomain", value, remedy: "revert the change" }, running(before));
  return [
    refusedTls("TLS between members switched on", peers("p"), {}, "now has peerSecret, no serverSecret"),
    refusedTls("TLS between members switched off", {}, peers("p"), "now has no peerSecret, no serverSecret"),
    refusedTls("TLS for clients switched on", clients, {}, "now has no peerSecret, serverSecret"),
    refusedTls("TLS for clients switched off", { TLS: {} }, clients, "now has no peerSecret, no serverSecret"),
    allowed("another Secret for the same TLS", made(peers("q")), running(peers("p"))),
    allowed("TLS switched on while nothing runs", made(peers("p")), aCluster({ version: "3.5.16" })),
    refusedDomain("a domain where there was none", domain("cluster.local"), {}, "cluster.local"),
    refusedDomain("no domain where there was one", {}, domain("cluster.local"), "''"),
    refusedDomain("another domain", domain("b"), domain("a"), "b"),
    allowed("an empty domain instead of none", made(domain("")), running({})),
    allowed("another domain while nothing runs", made(domain("b")), made(domain("a"))),
  ];
}

function names(): AdmissionCase[] {
  const refusedName = (name: string, what: string) =>
    refused(what, aCluster({}, name), { field: "name", value: name, remedy: "at most 52" });
  return [
    refusedName(`${LONGEST}a`, "a name of 53 characters"),
    refusedName("etcd.prod", "a name with a dot"),
    refusedName("1st", "a name that begins with a digit"),
    allowed("a name of 52 characters", aCluster({}, LONGEST)),
  ];
}

function podFields(): AdmissionCase[] {
  const refusedLabel = (key: string, value: string, remedy: string) =>
    refused(`label ${key}=${value}`, aCluster({ pod: { labels: { [key]: value } } }), {
      field: "spec.pod.labels",
      value: key,
      remedy,
    });
  return [
    refusedLabel("app", "mine", "choose another key"),
    refusedLabel("etcd_node", "mine", "choose another key"),
    refusedLabel("etcd_anything", "mine", "choose another key"),
    refusedLabel("a b/c/d", "x", "an optional domain and '/' in front"),
    refusedLabel("team", "-bad-", "beginning and ending with a letter or digit"),
    refusedLabel("team", "a b", "use letters, digits"),
    ...["a b", "a/b/c", "-a", "example.com/", `example.com/${"a".repeat(64)}`].map((key) =>
      refused(`annotation ${key}`, aCluster({ pod: { annotations: { [key]: "x" } } }), {
        field: "spec.pod.annotations",
        value: key,
        remedy: "an optional domain and '/' in front",
      }),
    ),
    allowed(
      "annotations with capitals in their domain, and with any value",
      aCluster({ pod: { annotations: { "Example.COM/Some_thing": "any thing\nat all", a: "" } } }),
    ),
    allowed(
      "labels and annotations of one's own",
      aCluster({
        pod: { labels: { team: "a", "app.kubernetes.io/part-of": "b", empty: "" }, annotations: { app: "c d" } },
      }),
    ),
    refused("a repository with a space", aCluster({ repository: "my etcd" }), {
      field: "spec.repository",
      value: "my etcd",
      remedy: "without tag and spaces",
    }),
    refused("a domain with a slash", aCluster({ pod: { ClusterDomain: "bad/domain" } }), {
      field: "spec.pod.ClusterDomain",
      value: "bad/domain",
      remedy: "'cluster.local'",
    }),
    allowed(
      "fractions of a processor",
      aCluster({ pod: { resources: { limits: { cpu: 0.5 }, requests: { cpu: "250m" } } } }),
    ),
    refused("an unknown pull policy", aCluster({ pod: { imagePullPolicy: "Sometimes" } }), {
      field: "spec.pod.imagePullPolicy",
      value: "Sometimes",
      remedy: "IfNotPresent",
    }),
  ];
}

function ownNotes(): AdmissionCase[] {
  const NOTE = "etcd.database.coreos.com/member-id";
  const OWNER = "etcd.database.coreos.com/owner-uid";
  const annotated = (...keys: string[]) => aCluster({ pod: { annotations: mapOf(keys) } });
  const labelled = (...keys: string[]) => aCluster({ pod: { labels: mapOf(keys) } });
  const running = (object: Resource) => ({ ...object, status: { phase: "Running" } });
  const refusal = (what: string, value: string) => ({ field: `spec.pod.${what}`, value, remedy: "remove it" });
  const keys = [NOTE, "etcd.database.coreos.com/log-reached", "etcd.database.coreos.com/anything", "etcd.version"];
  return [
    ...keys.map((key) => refused(`annotation ${key}`, annotated("note", key), refusal("annotations", key))),
    refused(`label ${OWNER}`, labelled("team", OWNER), refusal("labels", OWNER)),
    allowed("annotations in domains like ours", annotated("x.etcd.database.coreos.com/a", "etcd.versions")),
    allowed("a label that is only called like our annotation", labelled("etcd.version")),
    refused("an own annotation that is added", annotated(NOTE), refusal("annotations", NOTE), running(annotated())),
    refused("an own label that is added", labelled(OWNER), refusal("labels", OWNER), running(aCluster())),
    // As the status of one that was stored before the rule: it was there, and is written with it.
    allowed("an own annotation that is removed", annotated(), running(annotated("note"))),
  ];
}

function mapOf(keys: readonly string[]): Record<string, string> {
  return Object.fromEntries(keys.map((key) => [key, "x"]));
}

function environment(): AdmissionCase[] {
  const withVariable = (name: string) =>
    aCluster({
      pod: {
        etcdEnv: [
          { name: "A", value: "1" },
          { name, value: "x" },
        ],
      },
    });
  const owned = [
    "ETCD_NAME",
    "ETCD_DATA_DIR",
    "ETCD_INITIAL_CLUSTER",
    "ETCD_INITIAL_CLUSTER_STATE",
    "ETCD_INITIAL_CLUSTER_TOKEN",
    "ETCD_INITIAL_ADVERTISE_PEER_URLS",
    "ETCD_LISTEN_PEER_URLS",
    "ETCD_LISTEN_CLIENT_URLS",
    "ETCD_LISTEN_METRICS_URLS",
    "ETCD_ADVERTISE_CLIENT_URLS",
    "ETCD_CERT_FILE",
    "ETCD_PEER_KEY_FILE",
    "ETCD_TRUSTED_CA_FILE",
    "ETCD_CLIENT_CERT_AUTH",
    "ETCD_PEER_AUTO_TLS",
    "ETCD_FORCE_NEW_CLUSTER",
    "ETCD_DISCOVERY_SRV",
    "ETCD_PROXY",
    "ETCD_CONFIG_FILE",
    "ETCD_PEER_SKIP_CLIENT_SAN_VERIFICATION",
    "ETCD_EXPERIMENTAL_PEER_SKIP_CLIENT_SAN_VERIFICATION",
    "ETCD_UNSAFE_NO_FSYNC",
    "ETCD_STRICT_RECONFIG_CHECK",
  ];
  const tunables = [
    "ETCD_HEARTBEAT_INTERVAL",
    "ETCD_QUOTA_BACKEND_BYTES",
    "ETCD_INITIAL_ELECTION_TICK_ADVANCE",
    "ETCD_AUTO_COMPACTION_MODE",
    "ETCD_LOG_LEVEL",
    "ETCD_CIPHER_SUITES",
    "ETCD_SNAPSHOT_COUNT",
    "ETCDCTL_API",
    "GOMAXPROCS",
  ];
  return [
    ...owned.map((name) =>
      refused(`etcdEnv ${name}`, withVariable(name), { field: "spec.pod.etcdEnv", value: name, remedy: "remove it" }),
    ),
    ...tunables.map((name) => allowed(`etcdEnv ${name}`, withVariable(name))),
  ];
}

function tls(): AdmissionCase[] {
  const withTls = (secrets: unknown) => aCluster({ TLS: { static: secrets } });
  const halves = { field: "spec.TLS.static", remedy: "set both or neither" };
  return [
    refused("operatorSecret without member", withTls({ operatorSecret: "op" }), { ...halves, value: "op" }),
    refused("operatorSecret without serverSecret", withTls({ operatorSecret: "op", member: { peerSecret: "peer" } }), {
      ...halves,
      value: "op",
    }),
    refused("serverSecret without operatorSecret", withTls({ member: { serverSecret: "srv" } }), {
      ...halves,
      value: "srv",
    }),
    allowed("peerSecret alone", withTls({ member: { peerSecret: "peer" } })),
    allowed(
      "all three Secrets",
      withTls({ operatorSecret: "op", member: { peerSecret: "peer", serverSecret: "srv" } }),
    ),
    allowed("empty TLS blocks", withTls({ member: {} })),
    refused("a Secret with a space in its name", withTls({ member: { peerSecret: "my secret" } }), {
      field: "spec.TLS.static.member.peerSecret",
      value: "my secret",
      remedy: "lower-case letters",
    }),
  ];
}

function durationsAndTunables(): AdmissionCase[] {
  const negative = (field: string, spec: Record<string, unknown>) =>
    refused(`a negative ${field}`, aCluster(spec), { field, value: "-1", remedy: "0" });
  return [
    negative("spec.memberReplacement.afterSeconds", { memberReplacement: { afterSeconds: -1 } }),
    negative("spec.recovery.graceSeconds", { recovery: { graceSeconds: -1 } }),
    negative("spec.pod.DNSTimeoutInSecond", { pod: { DNSTimeoutInSecond: -1 } }),
    negative("spec.pod.terminationGracePeriodSeconds", { pod: { terminationGracePeriodSeconds: -1 } }),
    negative("spec.etcd.quotaBackendBytes", { etcd: { quotaBackendBytes: -1 } }),
    refused(
      "recovery from a backup that is not named",
      aCluster({ recovery: { onQuorumLoss: "RestoreLatestBackup" } }),
      {
        field: "spec.recovery",
        value: "RestoreLatestBackup",
        remedy: "name the EtcdBackup",
      },
    ),
    allowed(
      "recovery from a named backup",
      aCluster({ recovery: { onQuorumLoss: "RestoreLatestBackup", backupName: "nightly" } }),
    ),
    refused(
      "an election shorter than five heartbeats",
      aCluster({ etcd: { heartbeatIntervalMs: 500, electionTimeoutMs: 2499 } }),
      {
        field: "spec.etcd",
        value: "2499 and 500",
        remedy: "raise the first",
      },
    ),
    refused("a heartbeat too slow for the default election", aCluster({ etcd: { heartbeatIntervalMs: 201 } }), {
      field: "spec.etcd",
      value: "1000 and 201",
      remedy: "lower the second",
    }),
    refused("the slowest heartbeat there may be", aCluster({ etcd: { heartbeatIntervalMs: 50_000 } }), {
      field: "spec.etcd",
      value: "1000 and 50000",
      remedy: "lower the second",
    }),
    refused("an election of a few milliseconds", aCluster({ etcd: { electionTimeoutMs: 5 } }), {
      field: "spec.etcd",
      value: "5 and 100",
      remedy: "raise the first",
    }),
    allowed(
      "an election of five heartbeats",
      aCluster({ etcd: { heartbeatIntervalMs: 500, electionTimeoutMs: 2500 } }),
    ),
    refused("a retention that is none", aCluster({ etcd: { autoCompactionRetention: "soon" } }), {
      field: "spec.etcd.autoCompactionRetention",
      value: "soon",
      remedy: "'30m'",
    }),
    allowed(
      "a retention as a duration",
      aCluster({ etcd: { autoCompactionMode: "periodic", autoCompactionRetention: "1h30m" } }),
    ),
    refused(
      "a time as retention of revisions",
      aCluster({ etcd: { autoCompactionMode: "revision", autoCompactionRetention: "30m" } }),
      { field: "spec.etcd", value: "30m", remedy: "such as '1000'" },
    ),
    refused("a number that no field can hold", aCluster({ memberReplacement: { afterSeconds: 99_999_999_999 } }), {
      field: "spec.memberReplacement.afterSeconds",
      value: "99999999999",
      remedy: "2147483647",
    }),
    refused("an unknown way to bootstrap", aCluster({ bootstrap: { mode: "Magic" } }), {
      field: "spec.bootstrap.mode",
      value: "Magic",
      remedy: "Sequential",
    }),
  ];
}
