import { afterAll, beforeAll, expect, it } from 'vitest';
import { alice, startSymbols } from '../testing/start-symbols.ts';
import type { StartedSymbols } from '../testing/start-symbols.ts';

const { signal } = new AbortController();
let served: StartedSymbols;
beforeAll(async () => {
  served = await startSymbols({
    app: {
      'check.cc': '#include <errno.h>\n#include <stat.h>\nvoid f() {\n  ASSERT_EQ(1, 2);\n}\n',
      'stat.c': '#include <sys/stat.h>\nint f() {\n  struct stat s;\n  return s.st_mode;\n}\n',
      'stat.h': 'struct fs_stat { int st_mode; int stat; };\nstruct watcher {\n  FIELDS(\n};\n',
      'watch.c': '#include "stat.h"\nint f(struct watcher *w) {\n  return w->st_mode;\n}\n',
      'loop.cc':
        'class DFA {\n  template <bool b> bool Loop(int n);\n  bool Fast(int n);\n};\n\ntemplate <bool b> bool DFA::Loop(int n) { return b; }\n\nbool DFA::Fast(int n) {\n  return Loop<true>(n);\n}\n',
      'set.cc':
        'class Queue { void clear() {} };\nbool RE2::Set::Match(absl::string_view text, std::vector<int>* v) const {\n  v->clear();\n}\n',
      'src/theme.rs': 'pub mod env {\n    pub const NAME: &str = "x";\n}\n',
      'tests/alias.rs': 'type Option<T> = Maybe<T>;\n',
      'src/wrap.rs': 'pub fn f(a: Option<u8>) {}\n',
      'lib/grams.rb': 'class Histogram\n  def record_time(ms)\n  end\nend\n',
      'lib/tracking.rb':
        'class Tracking\n  def initialize\n    @grams = Hash.new { |hash, key| hash[key] = Histogram.new(key) }\n  end\n  def track(klass)\n    @grams[klass].record_time(1)\n  end\nend\n',
      'src/main.rs': 'const A: &str = include_str!(env!("A"));\n',
      'Result.cs':
        'namespace App;\n\npublic class Result\n{\n    public static Result Failure(int a) => null;\n}\n\npublic class Result<T>\n{\n    public static Result<T> Failure(T a) => null;\n}\n',
      'Use.cs':
        'namespace App;\n\npublic class Use<T>\n{\n    object F(T t) => Result<T>.Failure(t);\n    object G() => Result.Failure(1);\n}\n',
      'com/acme/Matchers.java':
        'package com.acme;\n\npublic class Matchers {\n    public static Object any() { return null; }\n    public static class Inner {\n        public static void deep() {}\n    }\n}\n',
      'com/acme/Mocks.java':
        'package com.acme;\n\npublic class Mocks extends Matchers {\n    public static void verify() {}\n}\n',
      'test/MocksTest.java':
        'package test;\n\nimport static com.acme.Mocks.*;\nimport static com.acme.Matchers.Inner.deep;\n\nclass MocksTest {\n    void f() {\n        verify();\n        any();\n        deep();\n    }\n}\n',
      'test/Other.java':
        'package test.other;\n\nclass Other {\n    void verify() {}\n    void any() {}\n    void deep() {}\n}\n',
      'com/acme/Block.kt':
        'package com.acme\n\nclass Block {\n  companion object {\n    internal val String.isPlaceholder\n      get() = true\n  }\n}\n',
      'com/acme/Util.kt':
        'package com.acme\n\nimport com.acme.Block.Companion.isPlaceholder\n\nfun f(part: String, parts: List<String>) {\n  part.isPlaceholder\n  parts.first().isPlaceholder\n  producerOf(Any::class)\n}\n',
      'lib/methods.js':
        'exports.methods = METHODS.map((one) => one.toLowerCase());\nexports.limit = 10;\nexports.close = exports.open = void 0;\nconst open = () => {};\nexports.open = open;\n',
      'lib/use.js': "const { methods, limit, open } = require('./methods');\nmethods.length + limit;\nopen();\n",
    },
    other: {
      'include/uv/errno.h': '#define UV_EOF 1\n',
      'test/task.h': '#define ASSERT_EQ(a, b) a == b\n',
      'src/Any.java': 'package org.other;\n\npublic class Any {}\n',
    },
  });
  await served.untilReadAhead();
});
afterAll(() => served[Symbol.asyncDispose]());

async function define(path: string, line: number, symbol: string): Promise<string> {
  const { files, isByNameOnly, outside, precision } = await served.symbols.findDefinition(
    alice,
    { repo: 'app', path, symbol, line },
    signal,
  );
  if (outside) return 'outside';
  if (precision === 'text') return 'unknown';
  const [file] = files;
  return `${file?.repo} ${file?.path}:${file?.places[0]?.line}${isByNameOnly ? ' by name' : ''}`;
}

it.each([
  [
    'a header of the system is not one of another repository below a folder of that',
    'check.cc',
    4,
    'ASSERT_EQ',
    'other test/task.h:1 by name',
  ],
  ['a struct of the system is outside in C', 'stat.c', 4, 'st_mode', 'outside'],
  ['a struct that is broken for the grammar is not outside', 'watch.c', 3, 'st_mode', 'app stat.h:1 by name'],
  ['a member of a list is outside', 'set.cc', 3, 'clear', 'outside'],
  ['a macro of the language is no module of its name', 'src/main.rs', 1, 'env', 'unknown'],
  [
    'a type of the prelude is by name only what a test defines in Rust',
    'src/wrap.rs',
    1,
    'Option',
    'app tests/alias.rs:1 by name',
  ],
  ['what a hash holds in Ruby is not outside', 'lib/tracking.rb', 6, 'record_time', 'app lib/grams.rb:2 by name'],
  ['a class of another repository needs an import in Kotlin', 'com/acme/Util.kt', 8, 'Any', 'unknown'],
])('%s', async (_what, path, line, symbol, meaning) => {
  expect(await define(path, line, symbol)).toBe(meaning);
});

it.each([
  ['a member template of the type around', 'loop.cc', 9, 'Loop', 'app loop.cc:6'],
  ['a member of the type with as many parameters', 'Use.cs', 5, 'Failure', 'app Result.cs:10'],
  ['a member of the type without parameters', 'Use.cs', 6, 'Failure', 'app Result.cs:5'],
  [
    'an extension of a type from outside that is imported by name',
    'com/acme/Util.kt',
    6,
    'isPlaceholder',
    'app com/acme/Block.kt:5',
  ],
  ['such an extension behind a call', 'com/acme/Util.kt', 7, 'isPlaceholder', 'app com/acme/Block.kt:5'],
  ['a static member that is imported with all others', 'test/MocksTest.java', 8, 'verify', 'app com/acme/Mocks.java:4'],
  ['such a member of what the type extends', 'test/MocksTest.java', 9, 'any', 'app com/acme/Matchers.java:4'],
  ['a static member of an inner type', 'test/MocksTest.java', 10, 'deep', 'app com/acme/Matchers.java:6'],
  ['a value that a CommonJS module exports', 'lib/use.js', 2, 'methods', 'app lib/methods.js:1'],
  ['a number that a CommonJS module exports', 'lib/use.js', 2, 'limit', 'app lib/methods.js:2'],
  ['what is exported, not where its export begins as nothing', 'lib/use.js', 3, 'open', 'app lib/methods.js:4'],
])('found is %s', async (_what, path, line, symbol, meaning) => {
  expect(await define(path, line, symbol)).toBe(meaning);
});
