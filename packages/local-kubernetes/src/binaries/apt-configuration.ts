/** The private folders that keep apt away from the system's state. */
export const aptFolders = ["state/lists/partial", "cache/archives/partial", "sources", "preferences", "debs"] as const;

/**
 * Settings to be read after the machine's own (`apt-get -c`), which stay in force for proxies and credentials.
 * Signatures are checked as always.
 */
export function aptConfiguration(dir: string): string {
  return [
    `Dir::State "${dir}/state";`,
    `Dir::State::lists "${dir}/state/lists";`,
    `Dir::State::status "${dir}/status";`,
    `Dir::Cache "${dir}/cache";`,
    `Dir::Etc::sourcelist "/dev/null";`,
    `Dir::Etc::sourceparts "${dir}/sources";`,
    `Dir::Etc::preferences "/dev/null";`,
    `Dir::Etc::preferencesparts "${dir}/preferences";`,
    // apt as root would fetch as another user, who may not enter the cache folder of this one.
    `APT::Sandbox::User "root";`,
    // sid's index states a short validity, and mirrors may lag behind it.
    `Acquire::Check-Valid-Until "false";`,
    `Acquire::Languages "none";`,
    // The machine's hooks act on the system's cache, which is none of our business.
    "#clear APT::Update::Pre-Invoke;",
    "#clear APT::Update::Post-Invoke;",
    "#clear APT::Update::Post-Invoke-Success;",
    "",
  ].join("\n");
}
