import { describe } from "vitest";
import { everyStartComesRight } from "./every-start.ts";

describe("without claims", () => {
  everyStartComesRight({ hasClaims: false, hasLearners: true });
  everyStartComesRight({ hasClaims: false, hasLearners: false });
});
