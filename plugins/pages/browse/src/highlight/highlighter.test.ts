import { longestLine } from '@sextant/library-ui';
import { afterAll, describe, expect, it } from 'vitest';
import { Highlighter } from './highlighter.ts';
import type { Source } from './highlighter.ts';
import { languageOf } from './languages.ts';
import { colouredPiece } from './piece.ts';

const limits = { cacheCharacters: 1 << 24, fileCharacters: 1 << 20, fileMs: 20_000, hangMs: 20_000 };
const highlighter = new Highlighter(limits);
afterAll(() => highlighter.close());

const sourceOf = (text: string, path = 'a.ts'): Source => {
  const lines = text.split('\n');
  return {
    id: `${path} ${text.length} ${text.slice(0, 200)}`,
    language: languageOf(path),
    characters: text.length,
    lineCount: lines.length,
    lines: (from, to) => lines.slice(from, to),
  };
};
const patient = 20_000;

describe('lines of code', () => {
  it('have one class for each kind of word, and everything else is escaped', async () => {
    const source = sourceOf('const a: Shop = "<b>&"; // </script>\n`x ${a}`;');
    const { markup, isComplete } = await highlighter.lines(source, [0, 2], patient);
    expect(isComplete).toBe(true);
    expect(markup).toEqual([
      '<span class=k>const</span> a: <span class=t>Shop</span> = <span class=s>&quot;&lt;b&gt;&amp;&quot;</span>; <span class=c>// &lt;/script&gt;</span>',
      expect.stringMatching(/^<span class=s>`x <\/span>.*a.*<span class=s>`<\/span>;$/),
    ]);
  });

  it('build on the lines before, also when they were highlighted earlier', async () => {
    const source = sourceOf(`/* begin\n${'still a comment\n'.repeat(500)}*/ const end = 1;`);
    await highlighter.lines(source, [0, 10], patient);
    const { markup } = await highlighter.lines(source, [499, 502], patient);
    expect(markup[0]).toBe('<span class=c>still a comment</span>');
    expect(markup[2]).toContain('<span class=k>const</span>');
  });

  it('that are a piece of a file have the colours of the file, unless it has other lines there or cannot be read', async () => {
    const whole = sourceOf(`/*\n${'const a = 1;\n'.repeat(9)}*/`);
    const coloured = async (lines: string[], source: Source | undefined) => {
      const piece = { language: 'typescript', lines, startLine: 5, whole: Promise.resolve(source) };
      return (await colouredPiece(highlighter, piece, patient)).markup[0];
    };
    expect(await coloured(['const a = 1;', 'const a = 1;\r'], whole)).toBe('<span class=c>const a = 1;</span>');
    const alone = '<span class=k>const</span> a = <span class=n>1</span>;';
    expect(await coloured(['const a = 1;', 'other'], whole)).toBe(alone);
    expect(await coloured(['const a = 1;'], undefined)).toBe(alone);
  });

  it('that are a piece of a file which is not there in time are not complete', async () => {
    const never = new Promise<undefined>(() => {});
    const piece = { language: 'typescript', lines: ['const a = 1;'], startLine: 5, whole: never };
    expect((await colouredPiece(highlighter, piece, 10)).isComplete).toBe(false);
  });

  it('are plain when they are not ready in time, and are highlighted for who asks again', async () => {
    const source = sourceOf(`const a = 1;\n${'const b = 2;\n'.repeat(2000)}`);
    const early = await highlighter.lines(source, [0, 2000], 0);
    expect(early.isComplete).toBe(false);
    expect(early.markup.at(-1)).toBe('const b = 2;');
    expect(early.markup).toHaveLength(2000);
    const late = await highlighter.lines(source, [0, 2000], patient);
    expect(late.isComplete).toBe(true);
    expect(late.markup.at(-1)).toBe('<span class=k>const</span> b = <span class=n>2</span>;');
  });

  it('of a language that nobody knows, of a file that is too long, and too long themselves, are plain', async () => {
    expect(await highlighter.lines(sourceOf('a < b', 'a.unknown'), [0, 1], patient)).toEqual({
      markup: ['a &lt; b'],
      isComplete: true,
    });
    const small = new Highlighter({ ...limits, fileCharacters: 5 });
    expect((await small.lines(sourceOf('const a = 1'), [0, 1], patient)).markup).toEqual(['const a = 1']);
    const long = await highlighter.lines(sourceOf(`"${'x'.repeat(longestLine)}"\nconst a = 1;`), [0, 2], patient);
    expect(long.markup[0]).toMatch(/^&quot;x+<span class="cut"> … 2 more characters<\/span>$/);
    expect(long.markup[1]).toContain('<span class=k>');
  });
});

it('a file that hangs is given up and left plain, and the next one is highlighted', async () => {
  const strict = new Highlighter({ ...limits, hangMs: 0.001 });
  const first = await strict.lines(sourceOf('const a = 1;'), [0, 1], patient);
  expect(first).toEqual({ markup: ['const a = 1;'], isComplete: true });
  await strict.close();
});

it('after it is closed nobody waits', async () => {
  const closed = new Highlighter(limits);
  await closed.close();
  expect((await closed.lines(sourceOf('const a = 1;'), [0, 1], patient)).markup).toEqual(['const a = 1;']);
});

it.each([
  ['src/a.tsx', 'tsx'],
  ['Dockerfile', 'docker'],
  ['a/Makefile', 'make'],
  ['x.h', 'c'],
  ['x.rs', 'rust'],
  ['README.md', 'markdown'],
  ['go.mod', 'go'],
  ['.bashrc', 'shellscript'],
  ['x.constructor', undefined],
  ['toString', undefined],
  ['', undefined],
])('%j is written in %s', (path, language) => {
  expect(languageOf(path)).toBe(language);
});
