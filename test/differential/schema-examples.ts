/** Texts that a format or pattern takes, and texts that it does not. */
interface Examples {
  readonly good: readonly string[];
  readonly bad: readonly string[];
}

export const FORMATS: Readonly<Record<string, Examples>> = {
  "date-time": { good: ["2024-02-29T12:00:00Z", "2024-01-01T00:00:00.5+02:00"], bad: ["yesterday", "2024-02-29", ""] },
  date: { good: ["2024-02-29"], bad: ["2024-02-30", "2024-2-1", "x"] },
  duration: { good: ["1h", "90s", "1.5m"], bad: ["an hour", "1 parsec"] },
  email: { good: ["a@example.com"], bad: ["a", "@b"] },
  hostname: { good: ["example.com", "a"], bad: ["under_score.com", "-a"] },
  ipv4: { good: ["10.0.0.1"], bad: ["10.0.0.256", "::1", "x"] },
  ipv6: { good: ["::1", "fe80::1"], bad: ["10.0.0.1", "g::1"] },
  cidr: { good: ["10.0.0.0/8", "fe80::/10"], bad: ["10.0.0.0", "10.0.0.0/33"] },
  mac: { good: ["00:00:5e:00:53:01"], bad: ["00:00", "x"] },
  uri: { good: ["https://example.com/a?b=c"], bad: ["not a uri", "://x"] },
  uuid: { good: ["123e4567-e89b-12d3-a456-426614174000"], bad: ["123e4567", "x"] },
  byte: { good: ["aGVsbG8="], bad: ["%%%", "a"] },
  "x-unknown": { good: ["anything"], bad: [] },
};

export const PATTERNS: Readonly<Record<string, Examples>> = {
  "^[a-z]+$": { good: ["abc", "z"], bad: ["ABC", "a1", ""] },
  "^v\\d+(alpha\\d+)?$": { good: ["v1", "v2alpha3"], bad: ["1", "v"] },
  "[0-9]{2,4}": { good: ["12", "x1234y"], bad: ["1", "x"] },
  "^(a|b)c?\\.d$": { good: ["a.d", "bc.d"], bad: ["c.d", "a_d"] },
  "^\\S+(\\s\\S+)*$": { good: ["one two", "x"], bad: [" x", ""] },
};

export const WORDS = ["abc", "z", "hello", "a-b", "Über", "x y", "0", "true", "a\nb", "", "<&>"];

/** Rules in CEL by the type they stand on; each holds for some values and not for others. */
export const RULES: Readonly<Record<string, readonly string[]>> = {
  string: [
    "self.size() < 4",
    "self.startsWith('a')",
    "self.matches('^[a-z]*$')",
    "self == oldSelf",
    "self != 'z'",
    "self.contains('b') || self == 'z'",
    "self.lowerAscii() == self",
  ],
  integer: ["self > 0", "self % 2 == 0", "self >= oldSelf", "self in [1, 2, 3, 5, 8]", "self != 3"],
  number: ["self < 10.0", "self >= -1.5"],
  boolean: ["self", "!self", "self || oldSelf"],
  array: ["self.size() < 3", "self.all(x, x == self[0])", "self.exists_one(x, x == self[0])", "size(self) >= 1"],
};
