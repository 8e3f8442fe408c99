/** Why a pattern cannot be used. */
export class PatternError extends Error {
  override readonly name = "PatternError";
}

/**
 * A pattern of a schema or a rule as a regular expression of JavaScript. Ours mean the same there as in RE2 (decision
 * 0003); a pattern of a foreign CRD that only RE2 can read throws a PatternError.
 */
export function patternOf(pattern: string): RegExp {
  const known = compiled.get(pattern);
  if (known) return known;
  const expression = compile(pattern);
  compiled.set(pattern, expression);
  return expression;
}

// Patterns come from CRDs and their rules, so there are few, and each is used again and again.
const compiled = new Map<string, RegExp>();

function compile(pattern: string): RegExp {
  try {
    return new RegExp(pattern, "u");
  } catch (error) {
    throw new PatternError(`error parsing regexp: \`${pattern}\``, { cause: error });
  }
}
