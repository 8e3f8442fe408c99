interface Requirement {
  readonly operator: string;
  readonly values?: readonly string[];
}

/**
 * Whether the value of a label or field meets one requirement of a selector, as the scheduler reads it. An operator of
 * a later Kubernetes is met by none.
 */
export function meetsRequirement(value: string | undefined, { operator, values = [] }: Requirement): boolean {
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
      return value !== undefined && Number(value) > Number(values[0]);
    case "Lt":
      return value !== undefined && Number(value) < Number(values[0]);
    default:
      return false;
  }
}
