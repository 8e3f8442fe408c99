/** A word as a shell reads it literally. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * What to run so that a command has a terminal: script(1) makes one inside the container. The command's shell first
 * says on descriptor 3 which terminal it got, so that its size can be changed later.
 */
export function terminalCommand(
  command: readonly string[],
  size: { rows: number; columns: number } | undefined,
): string[] {
  const resize = size ? `stty rows ${size.rows} cols ${size.columns}; ` : "";
  const line = `tty >&3; exec 3>&-; ${resize}exec ${command.map(quoted).join(" ")}`;
  return ["script", "--quiet", "--flush", "--return", "--command", line, "/dev/null"];
}

/** How an exec ended, as the error channel of the protocol says it. */
export function exitReport(exitCode: number): object {
  if (exitCode === 0) return { metadata: {}, status: "Success" };
  return {
    metadata: {},
    status: "Failure",
    message: `command terminated with non-zero exit code: exit status ${exitCode}`,
    reason: "NonZeroExitCode",
    details: { causes: [{ reason: "ExitCode", message: String(exitCode) }] },
  };
}
