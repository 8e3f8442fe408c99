export type ActionErrorCode =
  | "name-taken" // another object, or one of another time, has the name
  | "invalid"; // the action asks for what cannot be done

/** What keeps an action from being carried out, beyond the errors of Kubernetes and etcd. */
export class ActionError extends Error {
  override readonly name = "ActionError";
  readonly code: ActionErrorCode;
  readonly operation: string;

  constructor(code: ActionErrorCode, operation: string, reason: string) {
    super(`${operation} was not done: ${reason}`);
    this.code = code;
    this.operation = operation;
  }
}
