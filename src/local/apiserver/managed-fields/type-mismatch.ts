/** A value that its type does not allow, so that nobody can say what its fields are called. */
export class TypeMismatch extends Error {}
