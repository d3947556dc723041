import { expect, test } from 'vitest';
import { piecesIn, runsIn } from './message.ts';

test.each([
  ["Received unregistered task of type 'tasks.add'.", ['received unregistered task of type']],
  ['expected 42 bytes but received /var/lib/x.sock', ['bytes but received']],
  ['wrong etag when updating contact. Expected [42], got [main]', ['wrong etag when updating contact']],
  ['cannot open "a": no such file', ['no such file', 'cannot open']],
  ["Couldn't change owner of 42", ["couldn't change owner of"]],
  ['row x1 is missing column [name] of its table', ['is missing column', 'of its table']],
  ['Über-große Zahl (siehe oben) fehlt', ['über-große zahl', 'siehe oben']],
  ['is left\nno lease\r\n42', ['is left', 'no lease']],
  ['42 of 43', []],
  ['', []],
])('the pieces of %j', (text, expected) => {
  expect(piecesIn(text, 2)).toEqual(expected.map((piece) => ({ text: piece, words: piece.split(' ').length })));
});

test('pieces have three words at least, unless said', () => {
  expect(piecesIn("no lease of 'a' is left").map(({ text }) => text)).toEqual(['no lease of']);
});

test('what is very long is no word, and is looked at no longer than others', () => {
  for (const value of ['a'.repeat(65), `a${"'".repeat(1_000_000)}1`])
    expect(piecesIn(`no lease ${value} is left`, 2).map(({ text }) => text)).toEqual(['no lease', 'is left']);
});

test('of many pieces the longest count', () => {
  const lines = Array.from({ length: 50 }, (_, i) => `at line ${i};`);
  const pieces = piecesIn([...lines, 'no lease is left;', ...lines].join(' '), 2);
  expect(pieces).toHaveLength(6);
  expect(pieces[0]).toEqual({ text: 'no lease is left', words: 4 });
});

test('runs are lines, or so many words of each as they stand there', () => {
  expect(runsIn('E1: No lease\nis')).toEqual(['e1: no lease']);
  expect(runsIn('E1: No lease\r\nis left', 2)).toEqual(['e1: no', 'no lease', 'is left']);
  expect(runsIn('one two', 4)).toEqual([]);
});
