import { describe, expect, test } from 'vitest';
import { resultOf, runScript } from '../testing/run-script.ts';

describe('the sandbox', () => {
  test('has exactly these names', () => {
    const names = resultOf('local n = {} for name in pairs(_G) do n[#n + 1] = name end table.sort(n) return n');
    const base =
      '_G _VERSION assert error getmetatable ipairs load next pairs pcall print rawequal rawget rawlen rawset select setmetatable tonumber tostring type xpcall';
    const libraries = 'coroutine math string table utf8';
    const ours = 'code files json search source tools';
    expect(names).toEqual(`${base} ${libraries} ${ours}`.split(' ').toSorted());
    expect(resultOf('return _VERSION')).toBe('Lua 5.4');
  });

  test.each([
    'os',
    'io',
    'debug',
    'package',
    'require',
    'dofile',
    'loadfile',
    'collectgarbage',
    'warn',
    'string.dump',
    'js',
    'null',
    'Promise',
    'process',
    'globalThis',
    'arg',
    'loadstring',
    'getfenv',
    'setfenv',
    'newproxy',
    'module',
  ])('no %s: no os, io, network, debug, or load of bytecode', (name) => {
    expect(resultOf(`return ${name} == nil`)).toBe(true);
  });

  // What people try first, in what they tried it.
  test.each([
    ['bytecode', 'return load("\\27Lua\\x54\\0\\x19\\x93")', [null, "attempt to load a binary chunk (mode is 't')"]],
    ['bytecode, asked for', 'return load("\\27Lua", "x", "b")', [null, "attempt to load a binary chunk (mode is 't')"]],
    [
      'bytecode in pieces',
      'local p = {"\\27", "Lua"} return load(function() return table.remove(p, 1) end)',
      [null, "attempt to load a binary chunk (mode is 't')"],
    ],
    ['the metatable of strings', 'return getmetatable("")', false],
    [
      'the metatable of strings, changed',
      'return pcall(setmetatable, "", {})',
      [false, "bad argument #1 to 'setmetatable' (table expected, got string)"],
    ],
    ['the metatable of tools', 'return getmetatable(tools)', false],
    [
      'metatables of functions',
      'return getmetatable(print), getmetatable(search.keyword), getmetatable(coroutine.create(print))',
      [null, null, null],
    ],
    [
      'the value of null',
      'return type(json.null), getmetatable(json.null), pcall(function() return json.null.x end)',
      ['userdata', null, false, "script:1: attempt to index a userdata value (field 'null')"],
    ],
    ['the environment', 'local e = _ENV; _ENV = {}; return e._G == e, e.os', [true, null]],
    ['the environment of a loaded text', 'return load("return os, io, debug")()', [null, null, null]],
    ['a loaded text in an empty environment', 'return load("return print", "x", "t", {})()', null],
    ['globals of the preparation', 'return host, bound, compile', [null, null, null]],
    [
      'replaced parts of the library',
      'string.format, table.concat, tostring, ipairs, error, next = nil return search.keyword("x").name',
      'search.keyword',
    ],
    ['print with its own tostring', 'tostring = error print(1) return 1', 1],

    ['an error handler that fails', 'return xpcall(error, function() error() end)', [false, 'error in error handling']],
    [
      'an error through a coroutine',
      'local c = coroutine.wrap(function() error("in") end) return pcall(c)',
      [false, 'script:1: in'],
    ],
    [
      'yields across a function of the host',
      'return select(2, coroutine.resume(coroutine.create(function() print(setmetatable({}, {__tostring = coroutine.yield})) end)))',
      'attempt to yield across a C-call boundary',
    ],
    [
      'to-be-closed values',
      'do local x <close> = setmetatable({}, {__close = function() error("closed") end}) end',
      /^script:1: closed$/,
    ],
    ['a hook', 'return debug and debug.sethook', null],
    [
      'formats without end',
      'return pcall(string.format, "%1000d", 1)',
      [false, "invalid conversion specification: '%1000d'"],
    ],
    [
      'packing without end',
      'return pcall(string.pack, "!16 i17", 1)',
      [false, 'integral size (17) out of limits [1,16]'],
    ],
    [
      'unpacking beyond the end',
      'return pcall(string.unpack, "s4", "\\xff\\xff\\xff\\xff")',
      [false, "bad argument #2 to 'string.unpack' (data string too short)"],
    ],
    ['more values than the stack', 'return pcall(table.unpack, {}, 1, 1e8)', [false, 'too many results to unpack']],
    [
      'moves without end',
      'return pcall(table.move, {}, 1, math.maxinteger, 2)',
      [false, "bad argument #4 to 'table.move' (destination wrap around)"],
    ],
  ])('%s', (_what, script, expected) => {
    const { outcome } = runScript(script);
    if (expected instanceof RegExp) expect(outcome).toEqual({ failure: expect.stringMatching(expected) });
    else expect('result' in outcome ? JSON.parse(outcome.result) : outcome.failure).toEqual(expected);
  });

  test('scripts have nothing in common', () => {
    runScript('leak = 1 string.leak = 1 search.leak = 1 getmetatable(json.decode("{}")).leak = 1');
    expect(resultOf('return leak, string.leak, search.leak, getmetatable(json.decode("{}")).leak')).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });

  test('hashes of strings cannot be foreseen: addresses say nothing of the server', () => {
    expect(resultOf('return tostring({})')).toMatch(/^table: 0x[0-9a-f]{1,8}$/);
  });
});

describe('what fills the memory is an error, not more memory', () => {
  test.each([
    ['a string bomb', 'return #("x"):rep(1 << 30)'],
    ['doubling', 'local s = "x" while true do s = s .. s end'],
    ['a table', 'local t = {} for i = 1, 1e9 do t[i] = i end'],
    ['many tables', 'local t = {} while true do t[#t + 1] = {} end'],
    ['a concatenation', 'local t = {} for i = 1, 1e6 do t[i] = ("x"):rep(1000) end return #table.concat(t)'],
    ['a substitution', 'return #(("x"):rep(1e6):gsub("x", ("y"):rep(1e6)))'],
    ['a format', 'local f = ("%99s"):rep(1e6) return #f:format(table.unpack({}, 1, 1e6))'],
    ['coroutines', 'local t = {} while true do t[#t + 1] = coroutine.create(function() coroutine.yield() end) end'],
    ['recursion', 'local function f() return 1 + f() end return f()'],
    [
      'finalizers that make more',
      'local function g() setmetatable({}, {__gc = g}) end local t = {} while true do t[#t + 1] = g() or {} end',
    ],
  ])('%s', (_what, script) => {
    expect(runScript(script, { megabytes: 24 }).outcome).toEqual({
      failure: expect.stringMatching(/not enough memory|too many results to unpack|resulting string too large/),
    });
  });

  test('the script may catch it and go on', () => {
    expect(
      resultOf('local ok, e = pcall(string.rep, "x", 1 << 28) return ok, e, #("x"):rep(1000)', { megabytes: 24 }),
    ).toEqual([false, 'not enough memory', 1000]);
  });
});

describe('deep calls end in an error', () => {
  test.each([
    ['__index', 'local t = setmetatable({}, {__index = function(t, k) return t[k + 1] end}) return t[1]'],
    ['sort', 'local function f(a, b) table.sort({1, 2, 3}, f) return a < b end return f(1, 2)'],
    ['gsub', 'local function f() return (("a"):gsub("a", f)) end return f()'],
    ['coroutines', 'local function f() return coroutine.wrap(f)() end return f()'],
    ['pcall', 'local function f() return pcall(f) end return select("#", f()) > 0 and error("C stack overflow")'],
    ['tostring', 'local t = setmetatable({}, {__tostring = tostring}) return tostring(t)'],
    ['load', 'local function f() return load(f) end return f() or error("C stack overflow")'],
    ['a parser', 'assert(load(("("):rep(1e5) .. "1" .. (")"):rep(1e5)))'],
    ['tables in the source', 'assert(load("return " .. ("{"):rep(1e5)))'],
    ['patterns', 'return (("x"):rep(1e6):match((".-"):rep(3e5)))'],
    [
      '__eq',
      'local m = {} m.__eq = function(a, b) return a == b end return setmetatable({}, m) == setmetatable({}, m)',
    ],
    [
      '__close',
      'local m = {} m.__close = function() local x <close> = setmetatable({}, m) end local y <close> = setmetatable({}, m)',
    ],
    [
      'print',
      'local m = {} m.__tostring = function() print(setmetatable({}, m)) return "" end print(setmetatable({}, m))',
    ],
  ])('%s', (_what, script) => {
    expect(runScript(script).outcome).toEqual({
      failure: expect.stringMatching(/stack overflow|too complex|overflow|not enough memory|C levels/),
    });
  });
});
