import {
  Arena,
  DefinitionFilter,
  buildDefinitionFilter,
  ResidentContent,
  searchAll,
  Shard,
  ShardBuilder,
  Workspace,
} from '@sextant/library-block-index';
import type { Matches, Query, SearchPlace } from '@sextant/library-block-index';
import { definitionWords } from '@sextant/library-ranking';
import { expect, test } from 'vitest';
import { Random } from '../testing/random.ts';
import { textBetween } from '../snapshot/text.ts';
import { BestLine, readBest } from '../rank/line-score.ts';
import { countedOf, matchedLines, noPhraseLines, phraseLinesOf } from '../rank/matched-lines.ts';
import { lineScore } from '../rank/score.ts';
import { TermScore } from '../rank/term-score.ts';
import { PhraseLimits } from '../rank/upper-bounds.ts';
import { nameRules } from './loaded-shard.ts';

const workspace = new Workspace(Arena.create(64 << 20));

type MayDefine = (name: string, document?: number, foldCase?: boolean) => boolean;
/** No name that a document may define has more of the terms. */
type DefinedIn = (terms: TermScore, document: number) => number;

function inShard(
  texts: readonly string[],
  check: (mayDefine: MayDefine, place: SearchPlace, definedIn: DefinedIn) => void,
): void {
  const documents = texts.map((text) => Buffer.from(text));
  const builder = new ShardBuilder();
  for (const document of documents) builder.add(document);
  const all = Buffer.concat(documents);
  const shard = Shard.load(workspace, builder.finish());
  const content = ResidentContent.load(workspace, shard, (at, length) => all.subarray(at, at + length));
  const place = { workspace, shard, content };
  const names = DefinitionFilter.load(workspace, lastOf(buildDefinitionFilter(place, nameRules)), {
    shard,
    rules: nameRules,
  });
  const mayDefine: MayDefine = (name, document = 0, foldCase = true) => {
    const rated = nameRules.namesOf(name, { foldCase });
    return !rated || rated.some((each) => names.mayDefine(document, each));
  };
  check(mayDefine, place, ({ definable: all, mostDefined }, document) =>
    all
      ? Math.max(
          0,
          all.findLastIndex((some) => some.some((each) => names.mayDefine(document, each))),
        )
      : mostDefined,
  );
  workspace.arena.release(names.address);
  content.release();
  shard.release(workspace);
}

function lastOf(steps: Generator<void, Uint8Array>): Uint8Array {
  for (let next = steps.next(); ; next = steps.next()) if (next.done === true) return next.value;
}

/** The names that the only document of a shard may define. */
function definable(text: string, names: readonly string[]): string[] {
  let found: string[] = [];
  inShard([text], (mayDefine) => {
    found = names.filter((name) => mayDefine(name, 0, false));
  });
  return found;
}

test.each([
  ['func (s *Store) Open(name string) bool {', ['func', 'Open']],
  ['  public static Map<String, List> parseAll(Reader from) {', ['Map', 'parseAll']],
  ['static const char *parse_it(void)', ['char', 'parse_it']],
  ['bool Parser::next(token *list)', ['next']],
  ['exports.render = async (page) => {', ['render']],
  ['  handler: function (event) {', ['handler']],
  ['#define MOST_LINES 16', ['MOST_LINES']],
  ['const store = open(folder);', ['store']],
  ['encode :: Text -> Bytes', ['encode']],
  ['    return open(folder, mode) // of a file', []],
  ['  start(engine, ready)', []],
  ['main(int argc, char *argv[])', ['main']],
])('in %s the names are %j', (line, names) => {
  const words = [...new Set(line.match(/\w+/g))];
  expect(definable(`${line}\n`, words)).toEqual(words.filter((word) => names.includes(word)));
});

const names = ['foo', 'Foo', 'fooBar', 'foo_bar', 'getX', 'barfoo', 'bar', '_x', 'x1', 'x'];
const longer = ['foo.bar', 'x.x1.foo', 'foo(', 'bar()', 'foo.bar()', 'x (a, b)'];
const signs =
  ' | |  |\t|(|)|<|>|:|::| :: |=|=>|*|.|::|,|;|{|}|!|#|[|]|?|~|&|-|$|@|"|é|\u00a0|\ufeff|\u3000|日本|ſ|export |async |func (r *T) |function|func|macro_rules! |create table |# define |return |=> |= |(a, b) => |@a.b |// |# |* |-- '.split(
    '|',
  );
const { keywords, modifiers, leaders } = definitionWords;
const words = [...names, ...names, ...longer, ...keywords, ...modifiers, ...leaders];

function randomText(random: Random): string {
  const line = (): string => {
    const most = random.isOneOf(40) ? 300 : 9;
    const tokens = Array.from({ length: random.below(most) }, () =>
      random.isOneOf(2) ? random.pick(signs) : random.pick([' ', '']) + random.pick(words) + random.pick([' ', '']),
    );
    return random.isOneOf(9) ? tokens.join('').toUpperCase() : tokens.join('');
  };
  const lines = Array.from({ length: 1 + random.below(random.isOneOf(10) ? 200 : 3) }, line);
  if (random.isOneOf(30)) lines.push(line().padEnd(9000, 'long '));
  return lines.join(random.pick(['\n', '\r\n']));
}

/** A line that defines none of some names scores no more. */
const bestUse = (score: TermScore): number =>
  lineScore({ isWord: true, definition: 0, beside: Infinity, terms: score.terms.length, phrase: score.terms.length });

function bestLine(matches: Matches, { content }: SearchPlace, terms: TermScore): number {
  const phraseLines = terms.terms.length === 1 ? noPhraseLines : phraseLinesOf(matches, terms);
  const ratings = [1, 7, 40, 1000].map((lineCharacters) => ({
    lineCharacters,
    terms,
    phraseLines,
    defined: terms.mostDefined,
    bound: Infinity,
  }));
  return Math.max(...ratings.map((rating) => readBest(matches, content, rating)));
}

const literalIn =
  (foldCase: boolean) =>
  (literal: string): { literal: string; foldCase: boolean } => ({ literal, foldCase });

test('the best line scores the same where the names tell that none defines what is searched', () => {
  const random = new Random(12);
  const late = [`${'barfoo\n'.repeat(20)}foo`, `${'barfoo '.repeat(8)}foo`];
  let excluded = 0;
  for (let run = 0; run < 40; run += 1) {
    const texts = [...late, ...Array.from({ length: 40 }, () => randomText(random))];
    inShard(texts, (_, { content, ...place }, definedIn) => {
      const literal = literalIn(run % 2 === 0);
      const check = (searched: readonly string[], needed = 1): void => {
        const terms = new TermScore(searched.map(literal), needed);
        for (const { document, matches } of searchAll(
          { content, ...place },
          { or: searched.map(literal) },
        ).byDocument()) {
          const linesWith = (defined: number): BestLine =>
            new BestLine(matches, terms, { content, lineCharacters: 40, defined });
          const [told, read] = [linesWith(definedIn(terms, document)), linesWith(terms.mostDefined)];
          if (told.score !== read.score || told.score > told.bound || told.bound > read.bound)
            expect.fail(
              `${searched.join()}: ${told.score} of ${told.bound}, ${read.score} of ${read.bound} in ${JSON.stringify(texts[document])}`,
            );
          if (told.defined < read.defined) excluded += 1;
        }
      };
      for (const name of [...names, ...longer, 'class', '(']) check([name]);
      for (const needed of [1, 2, 3]) check(['foo', 'bar'], needed);
      check(['foo.bar', 'x', 'get']);
      check(['bar', 'get', 'x'], 3);
    });
  }
  expect(excluded).toBeGreaterThan(1000);
});

test('a text with a line that defines a name is one that may define it, however much of the line is shown', () => {
  const random = new Random(11);
  let [defined, excluded] = [0, 0];
  for (let run = 0; run < 60; run += 1) {
    const texts = Array.from({ length: 40 }, () => randomText(random));
    inShard(texts, (_, place, definedIn) => {
      const literal = literalIn(run % 2 === 0);
      const check = (searched: readonly string[], query: Query): void => {
        const terms = new TermScore(searched.map(literal), 1);
        for (const { document, matches } of searchAll(place, query).byDocument()) {
          const isDefined = bestLine(matches, place, terms) > bestUse(terms);
          const isTold = definedIn(terms, document) > 0;
          if (isDefined && !isTold) expect.fail(`${searched.join()} is defined in ${JSON.stringify(texts[document])}`);
          if (isDefined) defined += 1;
          else if (!isTold) excluded += 1;
        }
      };
      for (const name of [...names, ...longer, 'FOO', 'class', 'func', 'get']) check([name], literal(name));
      for (const all of [
        ['foo', 'bar'],
        ['foo.bar', 'x('],
        ['x', 'fooBar', 'get'],
      ]) {
        check(all, { and: all.map(literal) });
        check(all, { or: all.map(literal) });
      }
    });
  }
  expect(defined).toBeGreaterThan(1000);
  expect(excluded).toBeGreaterThan(1000);
});

test('no phrase has more terms than what stands beside each of them allows', () => {
  const random = new Random(13);
  let [long, excluded] = [0, 0];
  for (let run = 0; run < 60; run += 1) {
    const texts = Array.from({ length: 40 }, () => randomText(random));
    inShard(texts, (_, place) => {
      const searched = random.pick([
        ['foo', 'bar', 'x', 'get'],
        ['o', 'bar', 'r'],
        ['x', 'f', 'o', 'b'],
        ['(', 'a', ',', 'B', ')'],
      ]);
      const all = searched.slice(run % 3).map(literalIn(true));
      const terms = new TermScore(all, all.length);
      const limits = new PhraseLimits(terms, place.content);
      const most = new Map<number, number>();
      for (const text of all)
        for (const { document, matches } of searchAll(place, text).byDocument())
          most.set(document, limits.with(document, text, matches));
      for (const { document, matches: found } of searchAll(place, { or: all }).byDocument()) {
        const matches = terms.hasLetter ? countedOf(found) : found;
        const reader = place.content;
        const phrases = [...matchedLines(matches, Infinity, phraseLinesOf(matches, terms))].flatMap(({ ranges }) =>
          terms.phrases
            .phrasesIn(ranges, (start, end) => textBetween(reader, start, end))
            .map((phrase) => phrase.terms),
        );
        const longest = Math.max(1, ...phrases);
        if (longest > (most.get(document) ?? 0))
          expect.fail(`a phrase of ${longest} in ${JSON.stringify(texts[document])}`);
        if (longest > 1) long += 1;
        if ((most.get(document) ?? 0) < terms.phrases.longest) excluded += 1;
      }
    });
  }
  expect(long).toBeGreaterThan(100);
  expect(excluded).toBeGreaterThan(100);
});
