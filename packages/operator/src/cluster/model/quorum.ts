/** A voting member, judged for the worst case: only one that was seen healthy counts as up. */
export interface Voter {
  readonly name: string;
  readonly isUp: boolean;
}

/** How many of so many voters must agree. */
export function majorityOf(voters: number): number {
  return Math.floor(voters / 2) + 1;
}

/** Whether enough voters are up to decide anything. */
export function hasQuorum(voters: readonly Voter[]): boolean {
  return upOf(voters) >= majorityOf(voters.length);
}

/** Whether the members that are up would still be a majority of what remains when a voter is removed. */
export function keepsQuorumWithout(voters: readonly Voter[], name: string): boolean {
  const rest = voters.filter((voter) => voter.name !== name);
  return rest.length > 0 && hasQuorum(rest);
}

/** Whether one of the members that are up could fail as well, and the rest would still be a majority. */
export function canLoseOneMore(voters: readonly Voter[]): boolean {
  return upOf(voters) - 1 >= majorityOf(voters.length);
}

/** Whether the members that are up would be a majority even if a new voter never started. */
export function keepsQuorumWithNewVoter(voters: readonly Voter[]): boolean {
  return upOf(voters) >= majorityOf(voters.length + 1);
}

function upOf(voters: readonly Voter[]): number {
  return voters.filter(({ isUp }) => isUp).length;
}
