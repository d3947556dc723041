import { describe, expect, test } from 'vitest';
import { definitionWeight, mayBeDefined } from './definitions.ts';
import { pathClass } from './path-class.ts';

test.each([
  ['src/main.c', 'source'],
  ['lib/testing.ts', 'source'],
  ['src/a.test.ts', 'test'],
  ['units/c.d/expected.tags', 'test'],
  ['cases/expected-output.json', 'test'],
  ['include/expected.hpp', 'source'],
  ['pkg/server_test.go', 'test'],
  ['tests/fixtures/a.py', 'test'],
  ['t/t0001-init.sh', 'test'],
  ['src/test/java/AppTests.java', 'test'],
  ['src/testdir/test_undo.vim', 'test'],
  ['src/Parser.Tests/Reader.cs', 'test'],
  ['streams/test-utils/Driver.java', 'test'],
  ['AppUITests/Launch.swift', 'test'],
  ['src/contests/latest.ts', 'source'],
  ['src/attest/spectest.ts', 'source'],
  ['README.md', 'documentation'],
  ['docs/conf.py', 'documentation'],
  ['lib/notes.txt', 'documentation'],
  ['lib/the-requirements-of-users/list.txt', 'documentation'],
  ['lib/CMakeLists.txt', 'source'],
  ['requirements.txt', 'configuration'],
  ['dev-requirements.in.txt', 'configuration'],
  ['LICENSE', 'documentation'],
  ['examples/hello.go', 'example'],
  ['package.json', 'configuration'],
  ['.github/workflows/ci.yml', 'configuration'],
  ['vendor/a/b.go', 'generated'],
  ['deps/hiredis/dict.c', 'generated'],
  ['deps/broker/src/broker.erl', 'source'],
  ['deps/broker/test/broker_SUITE.erl', 'test'],
  ['src/lang/player_de.ts', 'generated'],
  ['ledger/ledger.info', 'documentation'],
  ['ledger/ledger.1', 'documentation'],
  ['share/translations/vault_fil.ts', 'generated'],
  ['share/translations/vault_en.ts', 'configuration'],
  ['src/lang/parse_all.ts', 'source'],
  ['src/lang/player_uz@Latn.ts', 'generated'],
  ['www/translations/web_en_GB.ts', 'generated'],
  ['src/lang/player_en.ts', 'source'],
  ['src/lang/parse_date.ts', 'source'],
  ['model/Messages_pt_BR.properties', 'generated'],
  ['model/Messages.properties', 'configuration'],
  ['api/types.pb.go', 'generated'],
  ['dist/app.min.js', 'generated'],
  ['pnpm-lock.yaml', 'generated'],
  ['po/de.po', 'generated'],
  ['resources/zh-Hans/Errors.zh-Hans.resx', 'generated'],
  ['resources/Errors.resx', 'configuration'],
  ['Resources/translations/validators.af.xlf', 'generated'],
  ['translations/messages.pt_BR.yaml', 'generated'],
  ['src/locales/de-DE.json', 'generated'],
  ['src/locales/en-GB.json', 'configuration'],
  ['conf/locale/fr/formats.py', 'generated'],
  ['app/res/values-pt-rBR/strings.xml', 'generated'],
  ['app/res/values/strings.xml', 'configuration'],
  ['App/nl.lproj/Main.strings', 'generated'],
  ['App/Base.lproj/Main.strings', 'source'],
  ['src/locale/db/plural.ts', 'source'],
  ['src/i18n/io.ts', 'source'],
  ['types/instance.d.ts', 'declaration'],
  ['dist/index.d.mts', 'generated'],
  ['stubs/six.pyi', 'declaration'],
  ['trunk/src/utest/kernel.cpp', 'test'],
  ['microbench/src/main/java/MapBenchmark.java', 'test'],
  ['jmh-benchmarks/src/main/java/MapBenchmark.java', 'test'],
  ['src/jmh/java/Cart.java', 'test'],
  ['crates/cart/fuzz/targets/parse.rs', 'test'],
  ['fuzzers/parse.c', 'test'],
  ['src/benchmark.rs', 'source'],
  ['src/fuzzy/match.c', 'source'],
])('%s is %s', (path, expected) => expect(pathClass(path)).toBe(expected));

describe('a line that defines a name is told from one that uses it', () => {
  const weight = (line: string, name: string): number =>
    definitionWeight(line, line.indexOf(name), line.indexOf(name) + name.length);

  test.each([
    ['export function parse(text) {', 'parse'],
    ['func (s *Server) Start() error {', 'Start'],
    ['class Cart:', 'Cart'],
    ['    def add(self, item):', 'add'],
    ['pub fn open(path: &Path) -> File {', 'open'],
    ['#define STRBUF_INIT 0', 'STRBUF_INIT'],
    ['type Handler interface {', 'Handler'],
    ['const limit = 9;', 'limit'],
    ['export const find = async (query) => {', 'find'],
    ['  private async load(name: string) {', 'load'],
    ['void strbuf_addf(struct strbuf *sb)', 'strbuf_addf'],
    ['struct commit *lookup_commit(struct repository *r,', 'lookup_commit'],
    ['pcre2_match_data_create(uint32_t oveccount, context *context)', 'pcre2_match_data_create'],
    ['regcomp (regex_t *_Restrict_ preg, const char *pattern,', 'regcomp'],
    ['zle_refresh_boot(void)', 'zle_refresh_boot'],
    ['bin_mesg(UNUSED(char *name), char **args)', 'bin_mesg'],
    ['main(int argc, char *argv[])', 'main'],
    ['struct node {', 'node'],
    ['enum Colour implements Named {', 'Colour'],
    ['static load(name) {', 'load'],
    ['pub(crate) unsafe extern "C" fn open(path: *const c_char) -> c_int {', 'open'],
    ['@Bean("cart") public sealed class Cart {', 'Cart'],
    ['@app.route export default async function* walk(tree) {', 'walk'],
    ['CREATE OR REPLACE FUNCTION add(a integer)', 'add'],
    ['template <typename T> struct Node', 'Node'],
    ['private[core] implicit lazy val limit = 9', 'limit'],
    ['#  define LIMIT 9', 'LIMIT'],
    ['abort <- function(message = NULL, class = NULL) {', 'abort'],
    ['      SUBROUTINE DGESVD( JOBU, JOBVT, M, N, A )', 'DGESVD'],
    ['pipeTable :: PandocMonad m => MarkdownParser m (F TableComponents)', 'pipeTable'],
  ])('%s', (line, name) => expect(weight(line, name)).toBeGreaterThan(0.5));

  test.each([
    ['  parse(text);', 'parse'],
    ['return parse(text)', 'parse'],
    ['  strbuf_addf(&sb, "%s", name);', 'strbuf_addf'],
    ['// the parse of it', 'parse'],
    ['// class Cart {', 'Cart'],
    ['    #  class Cart:', 'Cart'],
    [' * function parse(text) {', 'parse'],
    ['-- type Cart', 'Cart'],
    ['    raise Failure("of a type error")', 'error'],
    ['the class name and its purpose', 'name'],
    ['var byName = map[string]func(response) error{', 'error'],
    ['  handle(func(name string) error {', 'error'],
    ['func open(name string) error {', 'error'],
    ['struct node *next;', 'node'],
    ['static const struct node *next(const struct node *node)', 'node'],
    ['int walk(struct node *root, int depth)', 'node'],
    ['static int count;', 'int'],
    ['sizeof(struct node)', 'node'],
    ['const node *next;', 'node'],
    ['enum place where;', 'place'],
    ['offsetof (struct node, next)', 'node'],
    ['union value& of(union value &other)', 'value'],
    ['if (open(path) < 0)', 'open'],
    ['x = a.parse(b)', 'parse'],
    ['func != nil {', '!= nil'],
    ['zle_refresh_boot(void);', 'zle_refresh_boot'],
    ['parse(text, length)', 'parse'],
    ['parse(not text)', 'parse'],
    ['  std::move(cart)', 'std'],
    ['Foldable.parse :: x', 'parse'],
    ["describe('parse a text', () => {", 'describe'],
    ['run(async () => {', 'run'],
  ])('%s', (line, name) => expect(weight(line, name)).toBe(0));

  test('a type that is only declared is worth less than where it is defined', () => {
    expect(weight('struct node;', 'node')).toBeLessThan(weight('struct node {', 'node'));
    expect(weight('const node = a * b;', 'node')).toBe(1);
  });

  test('by each keyword', () => {
    const keywords =
      'func function class def defp defmodule defmacro defguard defn defun newtype interface type typedef struct enum union trait fn fun module namespace package const let var ' +
      'val object record protocol extension macro impl sub proc procedure message service rpc static alias subroutine macro_rules! #define';
    const starts = [
      ...keywords.split(' '),
      'create table',
      '# define',
      '      DOUBLE PRECISION FUNCTION',
      'func (s *Server)',
      'function*',
      'CLASS',
      '{struct',
      'fn\u00a0',
    ];
    expect(starts.filter((start) => weight(`${start} zz`, 'zz') !== 1)).toEqual([]);
    expect(starts.filter((start) => !mayDefine(`${start} zz`, 'zz'))).toEqual([]);
  });

  /** As its bytes tell; what stands beside them is of other lines. */
  const mayDefine = (line: string, name: string): boolean => {
    const [bytes, place] = [Buffer.from(`class ${line} =`), Buffer.from(`class ${line.split(name)[0] ?? ''}`).length];
    const bounds = { lineStart: 'class '.length, lineEnd: bytes.length - ' ='.length };
    return mayBeDefined((at) => bytes[at] ?? 0, { start: place, end: place + name.length, ...bounds });
  };

  test.each([
    ['export const find = async (query) => {', 'find', true],
    ['  private async load\u3000(name: string) {', 'load', true],
    ['void strbuf_addf(struct strbuf *sb)', 'strbuf_addf', true],
    ['static load(name) {', 'load', true],
    ['  load(name);', 'load', false],
    ['\tif (load(name))', 'load', false],
    ['// the parse of it', 'parse', false],
    ['return parser.parse;', 'parse', false],
    ['find', 'find', false],
    ['\u3000export find = async () => {', 'find', true],
    ['  this.find = function () {', 'find', true],
    ['// Deprecated: since 1.2', 'Deprecated', false],
    ['a characteristically load', 'load', false],
  ])('by its bytes, before it is read: %s', (line, name, expected) => expect(mayDefine(line, name)).toBe(expected));
});
