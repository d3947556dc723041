import { expect, test } from 'vitest';
import { DamagedShardError } from '../errors.ts';
import type { SearchPlace } from '../match/query.ts';
import { Places } from '../testing/places.ts';
import { buildDefinitionFilter, DefinitionFilter, DefinitionRules } from './definition-filter.ts';

const others = { leaders: ['pub'], ofTypes: ['struct'], behindNames: ['implements'] };
const rules = new DefinitionRules({ keywords: ['fn', 'class', 'struct'], modifiers: ['public', 'get'], ...others });
const places = new Places();

function fileOf(place: SearchPlace): Uint8Array {
  const steps = buildDefinitionFilter(place, rules);
  for (let next = steps.next(); ; next = steps.next()) if (next.done === true) return next.value;
}

/** Of each text the names that it may define. */
function namesOf(texts: readonly string[], names: readonly string[], foldCase = true): string[][] {
  const found: string[][][] = [];
  places.both(
    texts.map((text) => Buffer.from(text)),
    (place) => {
      const defined = DefinitionFilter.load(place.workspace, fileOf(place), { shard: place.shard, rules });
      const attached = DefinitionFilter.attach(place.workspace, defined.address, place.shard);
      const isIn = (name: string, document: number): boolean => {
        const rated = rules.namesOf(name, { foldCase });
        const isDefined = !rated || rated.some((each) => attached.mayDefine(document, each));
        const byte = rated ? attached.defining(rated)[document >> 3] : 0xff;
        expect((((byte ?? 0) >> (document & 7)) & 1) === 1).toBe(isDefined);
        return isDefined;
      };
      found.push(texts.map((_, document) => names.filter((name) => isIn(name, document))));
      place.workspace.arena.release(defined.address);
    },
  );
  expect(found[0]).toEqual(found[1]);
  return found[0] ?? [];
}

test('a document has the names that its lines may define, in any case, and none of another', () => {
  const texts = ['fn One() {\n}\n', '', 'two()', '  fn three', 'class Fifth\nuse one;', 'a.b = 5'];
  expect(namesOf(texts, ['one', 'two', 'three', 'fifth', 'b', 'use'])).toEqual([
    ['one'],
    [],
    ['two'],
    ['three'],
    ['fifth'],
    [],
  ]);
});

test('in the case in which it stands a name is told from others', () => {
  const texts = ['fn One() {\n}\n', 'fn one() {\n}\nONE', 'class ONE', `${'long '.repeat(200)}oNe`];
  expect(namesOf(texts, ['one', 'One', 'ONE', 'oNe', 'onE'], false)).toEqual([['One'], ['one'], ['ONE'], ['oNe']]);
});

test('of a long line every word counts', () => {
  const long = `one ${'two '.repeat(5000)}three`;
  expect(namesOf([long, `${long}\n`], ['one', 'two', 'three', 'four'])).toEqual([
    ['one', 'two', 'three'],
    ['one', 'two', 'three'],
  ]);
});

test('a type that is used is not defined', () => {
  const uses = ['struct one *two', 'struct one\t& two', 'struct one two', 'pub struct one with'];
  const code = ['struct one {', 'struct one implements two', 'struct one', 'fn one two', 'struct one*', 'struct one é'];
  const found = namesOf([...uses, ...code], ['one']);
  expect(found.map((each) => each.length)).toEqual([0, 0, 0, 0, 1, 1, 1, 1, 0, 1]);
});

test('a keyword of prose defines nothing, nor does a comment', () => {
  const texts = ['the class one', '// fn one', '# fn one', ' * fn one', '-- fn one', 'x, fn one', 'fn\u00a0 one é two'];
  const code = ['pub class one', 'x; fn one', '@a.b fn one', '(fn one', 'x = fn one', '\u3000fn one'];
  expect(namesOf([...texts, ...code], ['one', 'two'])).toEqual([
    ...Array.from({ length: 6 }, () => []),
    ...Array.from({ length: 1 + code.length }, () => ['one']),
  ]);
});

test('of names that stand together any may be defined, of a call its first word', () => {
  const texts = ['fn one', 'fn two', 'fn three', '  one.two(three)'];
  expect(namesOf(texts, ['one.two', 'two.three', 'one(', 'one.two()', 'two (three)'])).toEqual([
    ['one.two', 'one(', 'one.two()'],
    ['one.two', 'two.three', 'two (three)'],
    ['two.three'],
    [],
  ]);
});

test('nothing is known of what is neither, or not of ASCII', () => {
  const texts = ['a b', 'a-b', 'a b.c', '.a', 'a.', 'a, b', 'é', 'é()', 'aé()', 'a(é)', ''];
  expect(texts.map((text) => rules.namesOf(text, { foldCase: true }))).toEqual(texts.map(() => undefined));
});

test('a file that is damaged, of another shard or by other words is not taken', () => {
  places.both([Buffer.from('fn one')], (place) => {
    const { shard, workspace } = place;
    const file = fileOf(place);
    const load = (bytes: Uint8Array, by = rules): DefinitionFilter =>
      DefinitionFilter.load(workspace, bytes, { shard, rules: by });
    for (const spoiled of [file.subarray(1), file.subarray(0, -1), file.with(30, 9), new Uint8Array()])
      expect(() => load(spoiled)).toThrow(DamagedShardError);
    expect(() => load(file, new DefinitionRules({ keywords: ['def'], modifiers: [], ...others }))).toThrow(
      DamagedShardError,
    );
    places.both([Buffer.from('fn two')], (another) => {
      expect(() => load(fileOf(another))).toThrow(DamagedShardError);
    });
  });
});
