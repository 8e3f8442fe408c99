import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { compileExpression, mentions } from "./expression.ts";
import { CelFailure } from "./failure.ts";
import { kubernetesCel } from "./library.ts";

const env = kubernetesCel().registerVariable("self", "map<string, dyn>");

describe("the functions that rules use", () => {
  test.each<string>([
    "'a-b-c'.replace('-', '+') == 'a+b+c'",
    "'a-b-c'.replace('-', '+', 1) == 'a+b-c'",
    "'a-b-c'.replace('-', '+', 0) == 'a-b-c'",
    "'a$b'.replace('$', '$&') == 'a$&b'",
    "'a,b'.split(',') == ['a', 'b']",
    "['a', 'b'].join('-') == 'a-b'",
    "'abc'.substring(1, 2) == 'b' && 'abc'.indexOf('c') == 2 && 'aba'.lastIndexOf('a') == 2",
    "'aBc'.lowerAscii() == 'abc' && 'aBc'.upperAscii() == 'ABC' && ' a '.trim() == 'a'",
    "'h€llo'.charAt(1) == '€' && 'abc'.reverse() == 'cba'",
    "'%s has %d of %.2f%%'.format([dyn('a'), dyn(3), dyn(1.5)]) == 'a has 3 of 1.50%'",
    "'abc 123'.find('[0-9]+') == '123' && 'abc'.find('[0-9]+') == ''",
    "'a1b22'.findAll('[0-9]+') == ['1', '22'] && 'a1b22'.findAll('[0-9]+', 1) == ['1']",
    "'x'.matches('[x-z]') && matches('x', r'^x$')",
    "r'\\d' == '\\\\d' && 'has(' != 'matches('",
    "[1, 2, 3].isSorted() && ![2, 1].isSorted() && ['a', 'b'].isSorted()",
    "[1, 2, 3].sum() == 6 && [1.5, 2.5].sum() == 4.0 && [3, 1].min() == 1 && ['a', 'b'].max() == 'b'",
    "[1, 2, 1].indexOf(1) == 0 && [1, 2, 1].lastIndexOf(1) == 2 && [1].indexOf(5) == -1",
    "[1, 2, 3].all(x, x > 0) && [1, 2].exists(x, x == 2) && [1, 2].exists_one(x, x == 2)",
    "[1, 2, 3].filter(x, x > 1).map(x, x * 2) == [4, 6]",
    "{'a': 1, 'b': 2}.all(k, k != 'c') && 'a' in {'a': 1} && {'a': 1}['a'] == 1 && size({'a': 1}) == 1",
    "1 < 1.5 && 2.0 >= 2 && int('5') == 5 && double('1.5') == 1.5 && string(5) == '5' && string(true) == 'true'",
    "quantity('1Gi').isGreaterThan(quantity('1G')) && quantity('1500m').compareTo(quantity('1.5')) == 0",
    "quantity('1k').asInteger() == 1000 && !quantity('1m').isInteger() && quantity('-1').sign() == -1",
    "quantity('1Ki').add(quantity('1')).sub(1) == quantity('1024') && quantity('0.5').asApproximateFloat() == 0.5",
    "isQuantity('1e3') && isQuantity('.5') && !isQuantity('1 Gi') && !isQuantity('')",
    "url('https://u@h.example:8443/a%20b?x=1&x=2').getHost() == 'h.example:8443'",
    "url('https://h:8443/a%20b?x=1&x=2').getEscapedPath() == '/a%20b' && url('http://[::1]:1/').getHostname() == '::1'",
    "url('http://h/?x=1&x=2').getQuery()['x'] == ['1', '2'] && isURL('/a') && !isURL('a')",
    "timestamp('2024-01-01T00:00:00Z') + duration('24h') == timestamp('2024-01-02T00:00:00Z')",
    "duration('90m').getHours() == 1 && string(duration('90s')) == '90s' && duration('1h') > duration('59m')",
    "int(timestamp('1970-01-01T00:01:00Z')) == 60 && string(timestamp('2024-01-01T00:00:00Z')) == '2024-01-01T00:00:00Z'",
    "self.a == 1 && has(self.a) && !has(self.b) && self.?b.orValue(3) == 3 && optional.of(1).hasValue()",
    "has(self.list[0].x) && !has(self.list[0].y)",
    "type(self.a) == int && type('') == string",
    "false && self.missing == 1 || true",
  ])("%s", (source) => {
    const list = [new Map([["x", 1n]])];
    const self = new Map<string, unknown>([
      ["a", 1n],
      ["list", list],
    ]);
    assert.equal(compileExpression(env, source).evaluate({ self }), true);
  });

  test.each([
    ["self.b == 1", "no such key: b"],
    ["[1][5] == 1", "index out of bounds: 5"],
    ["1 / 0 == 1", "division by zero"],
    ["1 % 0 == 1", "modulus by zero"],
    ["9223372036854775807 + 1 > 0", "integer overflow"],
    ["self.s > 1", "no such overload"],
    ["[1].filter(x, x > 1).min() == 1", "min called on empty list"],
    ["'a'.matches(self.s + '(')", "error parsing regexp: `x(`"],
  ])("%s fails with: %s", (source, message) => {
    const self = new Map<string, unknown>([["s", "x"]]);
    assert.throws(
      () => compileExpression(env, source).evaluate({ self }),
      (error: unknown) => error instanceof CelFailure && error.message === message,
    );
  });

  test("a variable is found where it is used, not in strings, comments or names of fields", () => {
    assert.ok(mentions("self == oldSelf", "oldSelf"));
    assert.ok(!mentions("self.oldSelf == 'oldSelf' // oldSelf", "oldSelf"));
    assert.ok(!mentions("self == r'\\' && 'oldSelf' != ''", "oldSelf"));
  });
});
