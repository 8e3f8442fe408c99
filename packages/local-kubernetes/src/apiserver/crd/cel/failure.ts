/** Why an expression could not be evaluated, in the words of the real server's CEL. */
export class CelFailure extends Error {
  override readonly name = "CelFailure";
}
