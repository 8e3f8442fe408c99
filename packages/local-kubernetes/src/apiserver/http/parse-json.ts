/** The value of a text that should be JSON. */
export function parseJson(text: string, refusal: (why: string) => Error): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw refusal(error instanceof Error ? error.message : String(error));
  }
}
