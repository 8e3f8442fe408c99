import { describe } from "vitest";
import { everyStartComesRight } from "./every-start.ts";

describe("on claims", () => {
  everyStartComesRight({ hasClaims: true, hasLearners: true });
  everyStartComesRight({ hasClaims: true, hasLearners: false });
});
