/** Declares a function of the language; none of ours ever waits for anything. */
export type Declare = (signature: string, handler: (...values: never[]) => unknown) => void;
