import { flagNames, type ProgramName } from "../process/operator-flags.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** A script that makes a shell complete commands, flags of the operator, and files. */
export function completionScript(shell: Shell, program: ProgramName, commands: readonly string[]): string {
  const words = [...commands, ...flagNames(program).map((name) => `--${name}`)];
  switch (shell) {
    case "bash":
      return bash(program, words);
    case "zsh":
      return `autoload -U +X bashcompinit && bashcompinit\n${bash(program, words)}`;
    case "fish":
      return fish(program, words);
  }
}

function bash(program: ProgramName, words: readonly string[]): string {
  const name = `_${program.replaceAll("-", "_")}`;
  return `${name}() {
  local word="\${COMP_WORDS[COMP_CWORD]}"
  case "\${COMP_WORDS[1]}" in
    validate) [ "$COMP_CWORD" -gt 1 ] && return 0 ;;
    completion) [ "$COMP_CWORD" -gt 1 ] && COMPREPLY=($(compgen -W "${SHELLS.join(" ")}" -- "$word")) && return 0 ;;
  esac
  COMPREPLY=($(compgen -W "${words.join(" ")}" -- "$word"))
}
complete -o default -F ${name} ${program}
`;
}

function fish(program: ProgramName, words: readonly string[]): string {
  const first = `complete -c ${program} -n __fish_use_subcommand -f -a '${words.join(" ")}'`;
  const shells = `complete -c ${program} -n '__fish_seen_subcommand_from completion' -f -a '${SHELLS.join(" ")}'`;
  return `${first}\n${shells}\n`;
}
