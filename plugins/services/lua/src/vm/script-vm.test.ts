import { describe, expect, test } from 'vitest';
import { resultOf, runScript } from '../testing/run-script.ts';
import { ScriptError } from './lua-values.ts';

describe('what a script returns is any JSON', () => {
  test.each([
    ['return nil', null],
    ['', null],
    ['return 1, "a", nil', [1, 'a', null]],
    ['return true', true],
    ['return 7 // 2, 7 / 2, 6 / 2', [3, 3.5, 3]],
    ['return 2^53 | 0', 2 ** 53],
    ['return 0/0, 1/0, -1/0', [null, null, null]],
    ['return {}', []],
    ['return {1, "two", {3}}', [1, 'two', [3]]],
    ['return {b = 1, a = {c = false}}', { a: { c: false }, b: 1 }],
    ['return {1, 2, x = 3}', { 1: 1, 2: 2, x: 3 }],
    ['return {[1] = "a", [3] = "c"}', { 1: 'a', 3: 'c' }],
    ['return {1, json.null, 3}', [1, null, 3]],
    ['return json.decode("{}")', {}],
    ['return json.decode("[]")', []],
    ['return json.decode([[{"a":[null,{}],"b":1.5,"c":"\\u00e9"}]])', { a: [null, {}], b: 1.5, c: 'é' }],
    ['return json.decode("9007199254740993")', 9007199254740992],
    ['return "\\xff\\xfea\\xe9"', '\u{FFFD}\u{FFFD}a\u{FFFD}'],
    ['return "\\u{FEFF}a\\0b"', '\u{FEFF}a\0b'],
    ['return json.encode({x = {1, 2}, e = {}})', '{"e":[],"x":[1,2]}'],
    ['return json.encode("\\xff")', '"\u{FFFD}"'],
    ['return setmetatable({1}, {__index = function() return 1 end, __len = function() return 9 end})', [1]],
  ])('%s', (script, result) => {
    expect(resultOf(script)).toEqual(result);
  });

  test('the same data is the same text, whatever the order in which it was made', () => {
    const [one, other] = ['b', 'a', 'c'].map((first) =>
      runScript(`local t = {${first} = 0} for _, k in ipairs{'a','b','c','d'} do t[k] = #k end return t`),
    );
    expect(one).toEqual(other);
  });

  test.each([
    ['return print', 'the result is a function, which JSON does not have'],
    ['return {a = {coroutine.create(print)}}', 'the result.a[1] is a coroutine, which JSON does not have'],
    ['local t = {} t.t = {t} return t', 'the result.t[1] contains itself, which JSON cannot say'],
    ['return {[{}] = 1}', 'the result has a key that is a table; keys of JSON are strings'],
    ['local t = {} for _ = 1, 200 do t = {t} end return t', / is more than 100 tables deep$/],
    // A tree of 2^60 leaves made of 60 tables.
    ['local t = {} for _ = 1, 60 do t = {t, t} end return t', /^the value is too large/],
    ['return ("x"):rep(10001)', /^the value is too large/],
    ['return json.decode("[1,")', /^script:1: json\.decode: /],
    ['return json.decode("\\xff")', /^script:1: json\.decode: /],
    ['return json.decode(("["):rep(1e5) .. ("]"):rep(1e5))', /more than 100 values deep$/],
    ['return json.decode(nil)', 'script:1: json.decode(text) takes strings; tostring makes one'],
  ])('%s is refused', (script, message) => {
    expect(() => resultOf(script)).toThrow(message);
  });

  test('a value that stands in two places is written in both', () => {
    expect(resultOf('local t = {1} return {t, t}')).toEqual([[1], [1]]);
  });
});

describe('errors', () => {
  test.each([
    ['local x\nreturn x.y.z', "script:2: attempt to index a nil value (local 'x')"],
    ['return 1 +', 'script:1: unexpected symbol near <eof>'],
    ['error("mine", 0)', 'mine'],
    ['error({code = 1})', '{"code":1}'],
    ['error(setmetatable({}, {__tostring = function() return "shown" end}))', 'shown'],
    ['error(setmetatable({}, {__tostring = function() error() end}))', 'an error that cannot be shown'],
    ['error(nil)', 'nil'],
    ['goto nowhere', "script:1: no visible label 'nowhere' for <goto> at line 1"],
  ])('%s', (script, failure) => {
    expect(runScript(script).outcome).toEqual({ failure });
  });

  test('what a function refuses names the line that called it, and can be caught', () => {
    const call = (): never => {
      throw new ScriptError('no');
    };
    expect(runScript('\n\nsearch.keyword("x")', { call }).outcome).toEqual({ failure: 'script:3: no' });
    expect(resultOf('return pcall(search.keyword, "x")', { call })).toEqual([false, 'no']);
    expect(resultOf('return select(2, pcall(function() search.keyword("x") end))', { call })).toBe('script:1: no');
    expect(resultOf('return coroutine.wrap(function() return pcall(search.keyword) end)()', { call })).toEqual([
      false,
      'no',
    ]);
  });

  test('what goes wrong in the host is not for the script to catch', () => {
    const call = (): never => {
      throw new TypeError('a bug');
    };
    expect(runScript('return pcall(search.keyword, "x")', { call }).outcome).toEqual({
      failure: 'Lua failed: TypeError: a bug',
    });
  });
});

describe('functions', () => {
  test.each([
    ['search.keyword("a")', { name: 'search.keyword', argument: 'a' }],
    ['search.nls{query = "a"}', { name: 'search.nls', argument: { query: 'a' } }],
    ['search.repos()', { name: 'search.repos', argument: null }],
    ['search.commits{repos = {"a"}}', { name: 'search.commits', argument: { repos: ['a'] } }],
    ['search.diffs{}', { name: 'search.diffs', argument: [] }],
    [
      'source.read_file{repo = "a", startLine = 2}',
      { name: 'source.read_file', argument: { repo: 'a', startLine: 2 } },
    ],
    ['source.list_files{}', { name: 'source.list_files', argument: [] }],
    ['code.definition{}', { name: 'code.definition', argument: [] }],
    ['code.references{}', { name: 'code.references', argument: [] }],
    ['tools.read_file{}', { name: 'tools.read_file', argument: [] }],
    ['tools["x\\0y"]{}', { name: 'tools.x\0y', argument: [] }],
    ['files.write("a.txt", "12\\0")', { name: 'a.txt', bytes: 3 }],
  ])('%s', (script, answer) => {
    expect(resultOf(`return ${script}`)).toEqual(answer);
  });

  test('every tool is a function of `tools`, and can be listed', () => {
    expect(resultOf('local n = {} for name in pairs(tools) do n[#n + 1] = name end table.sort(n) return n')).toEqual([
      'list_repos',
      'read_file',
    ]);
  });

  test('answers are plain tables', () => {
    const call = (): string => '{"matches":[{"line":3}],"stats":{}}';
    expect(
      resultOf(
        'local r = search.keyword("x") return r.matches[1].line + 1, math.type(r.matches[1].line), next(r.stats)',
        {
          call,
        },
      ),
    ).toEqual([4, 'integer', null]);
    expect(
      resultOf('local r = search.keyword("x") return type(r), getmetatable(r), getmetatable(r.matches)', { call }),
    ).toEqual(['table', null, null]);
  });

  test('several arguments are an error that says how', () => {
    expect(() => resultOf('source.read_file("a", "b")')).toThrow(
      'script:1: source.read_file takes one argument, such as source.read_file{name = value}',
    );
  });

  test('print shows values as Lua does, in bytes', () => {
    expect(
      runScript('print(1, nil, "é", 1.0) print() print(setmetatable({}, {__tostring = function() return "t" end}))')
        .printed,
    ).toBe('1\tnil\té\t1.0\n\nt\n');
  });
});
