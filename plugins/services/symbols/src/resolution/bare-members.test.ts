import { afterAll, beforeAll, expect, it } from 'vitest';
import { startSymbols } from '../testing/start-symbols.ts';
import type { StartedSymbols } from '../testing/start-symbols.ts';

let served: StartedSymbols;
beforeAll(async () => {
  served = await startSymbols({
    shop: {
      'a/A.java': 'package a;\npublic class A {\n  protected void helper() {}\n}\n',
      'b/B.java': 'package b;\nimport a.A;\nclass B extends A {\n  void f() { helper(); }\n}\n',
      'c/C.java': 'package c;\nimport a.A;\nclass C extends A {\n  void helper() {}\n  void f() { helper(); }\n}\n',
      'c/D.java': 'package c;\nclass D {\n  A a;\n  void f() { helper(); }\n}\n',
      'base.rb': 'class Base\n  def assist; end\nend\n',
      'sub.rb': 'class Sub < Base\n  def go\n    assist\n  end\nend\nclass Other\n  def go\n    assist\n  end\nend\n',
      'top.rb': 'def tool; end\n',
      'main.rb': 'tool\n',
      'k.kt': 'open class K {\n  fun aid() {}\n}\n',
      'l.kt': 'class L : K() {\n  fun g() { aid() }\n}\n',
      's.cs': 'class S { protected void Help() {} }\n',
      't.cs': 'class T : S {\n  void G() { Help(); }\n}\n',
      'u.h': 'class U { protected: void lend(); };\n',
      'v.cpp': '#include "u.h"\nclass V : public U { void g(); };\nvoid V::g() { lend(); }\n',
      'p.swift': 'class P { func support() {} }\n',
      'q.swift': 'class Q: P { func g() { support() } }\n',
    },
  });
});
afterAll(() => served[Symbol.asyncDispose]());

it.each([
  ['a/A.java', 'helper', ['b/B.java:4']],
  ['c/C.java', 'helper', ['c/C.java:5']],
  ['base.rb', 'assist', ['sub.rb:3']],
  ['top.rb', 'tool', ['main.rb:1']],
  ['k.kt', 'aid', ['l.kt:2']],
  ['s.cs', 'Help', ['t.cs:2']],
  ['u.h', 'lend', ['v.cpp:3']],
  ['p.swift', 'support', ['q.swift:1']],
])('a member that stands alone is that which the type around has or inherits: %s', async (path, name, places) => {
  expect(await served.references(`shop ${path}`, name)).toEqual(places);
});
