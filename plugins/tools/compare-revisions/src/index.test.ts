import type { ComparedRevisions, Comparison, ComparisonPage, FileChange } from '@sextant/contracts';
import { oneRepository } from '@sextant/contracts/testing';
import { textSize } from '@sextant/core';
import { runTool } from '@sextant/core/testing';
import type { ToolAnswer } from '@sextant/core/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { compareRevisions } from './index.ts';

const [base, head, moved] = ['a'.repeat(40), 'b'.repeat(40), 'd'.repeat(40)] as const;

const changeOf = (path: string, change: Partial<FileChange> = {}): FileChange => ({
  path,
  status: 'modified',
  added: 1,
  deleted: 1,
  isBinary: false,
  hunks: [{ oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, section: 'f()', lines: [' a', '-b', '+c'] }],
  isTruncated: false,
  ...change,
});

const changes = [
  changeOf('a.ts'),
  changeOf('new/b.ts', {
    previousPath: 'old/b.ts',
    status: 'renamed',
    oldMode: '100644',
    newMode: '100755',
    hunks: [],
  }),
  changeOf('c.png', { status: 'added', added: 0, deleted: 0, isBinary: true, hunks: [] }),
  changeOf('d.ts', { status: 'deleted', isTruncated: true, hunks: [] }),
];

const mergeBase = vi.fn(async (): Promise<ComparedRevisions> => ({ base, head }));
const compareChanges = async ({ base: from, head: to, offset, limit }: ComparisonPage): Promise<Comparison> => ({
  base: from,
  head: to,
  totalAdded: 3,
  totalDeleted: 2,
  totalModified: changes.length,
  files: changes.slice(offset, offset + limit),
  atLeast: [],
  notes: [],
  totalFiles: changes.length,
});
const compare = vi.fn(compareChanges);

const run = (input: object = {}): Promise<ToolAnswer> =>
  runTool(compareRevisions, {
    input: { repo: 'shop', base: 'v1', head: 'main', ...input },
    services: { repositories: oneRepository({ mergeBase, compare }) },
  });

test('the whole comparison, as structure and as a diff with short headings', async () => {
  const { structured, text } = await run();
  expect(structured).toMatchObject({
    repository: 'shop',
    base,
    head,
    totalAdded: 3,
    totalDeleted: 2,
    totalModified: 4,
    hasNextPage: false,
  });
  expect(structured['files']).toEqual([
    {
      path: 'a.ts',
      status: 'modified',
      added: 1,
      deleted: 1,
      hunks: [{ oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, section: 'f()', lines: ' a\n-b\n+c' }],
    },
    {
      path: 'new/b.ts',
      previousPath: 'old/b.ts',
      status: 'renamed',
      added: 1,
      deleted: 1,
      oldMode: '100644',
      newMode: '100755',
      hunks: [],
    },
    { path: 'c.png', status: 'added', added: 0, deleted: 0, binary: true, hunks: [] },
    { path: 'd.ts', status: 'deleted', added: 1, deleted: 1, truncated: true, hunks: [] },
  ]);
  expect(text).toBe(`# shop – aaaaaaaaaaaa...bbbbbbbbbbbb: 4 files, +3 -2 lines
modified a.ts (+1 -1)
renamed old/b.ts → new/b.ts (+1 -1)
added c.png (binary)
deleted d.ts (+1 -1)

## modified a.ts (+1 -1)
@@ -1,2 +1,2 @@ f()
 a
-b
+c
## renamed old/b.ts → new/b.ts (+1 -1, mode 100644 → 100755)
## added c.png (binary)
## deleted d.ts (+1 -1)
[the rest of this diff is too large; read the file at both revisions]`);
});

describe('the cursor is stable', () => {
  test('pages follow each other to the end', async () => {
    const first = await run({ first: 3 });
    expect(first.structured).toMatchObject({ hasNextPage: true, endCursor: expect.any(String) });
    expect(first.text).toContain(`[more files; ask again with after: ${first.structured['endCursor']}]`);
    const second = await run({ first: 3, after: first.structured['endCursor'] });
    expect(second.structured).toMatchObject({ files: [{ path: 'd.ts' }], hasNextPage: false });
    expect(second.structured).not.toHaveProperty('endCursor');
  });

  test('a page ends before the file whose diff does not fit, and the next one begins with it', async () => {
    const large = (path: string): FileChange =>
      changeOf(path, {
        hunks: [
          {
            oldStart: 1,
            oldLines: 0,
            newStart: 1,
            newLines: 260,
            section: '',
            lines: Array(260).fill(`+${'x'.repeat(99)}`),
          },
        ],
      });
    const all = ['a.ts', 'b.ts', 'c.ts', 'd.ts', 'e.ts'].map(large);
    compare.mockImplementation(async ({ base: from, head: to, offset, limit }) => ({
      base: from,
      head: to,
      totalAdded: 1300,
      totalDeleted: 0,
      totalModified: all.length,
      files: all.slice(offset, offset + limit),
      atLeast: [],
      notes: [],
      totalFiles: all.length,
    }));
    const pages: unknown[] = [];
    for (let after: unknown, hasNextPage: unknown = true; hasNextPage === true; ) {
      const { structured } = await run({ ...(after !== undefined && { after }) });
      ({ hasNextPage, endCursor: after } = structured);
      pages.push((structured['files'] as { path: string }[]).map(({ path }) => path));
    }
    expect(pages).toEqual([['a.ts', 'b.ts'], ['c.ts', 'd.ts'], ['e.ts']]);
    compare.mockReset().mockImplementation(compareChanges);
  });

  test('what is to be known of how the commits were chosen stands on every page', async () => {
    mergeBase.mockResolvedValueOnce({ base, head, note: 'The history begins late.' });
    const { structured } = await run({ first: 1 });
    const { structured: second } = await run({ first: 1, after: structured['endCursor'] });
    expect(structured).toMatchObject({ notes: ['The history begins late.'] });
    expect(second).toMatchObject({ notes: ['What the first page says of the history holds for this page too.'] });
  });

  test('a cursor brings no text into the notes', async () => {
    const { structured } = await run({ first: 1 });
    const parts: unknown = JSON.parse(Buffer.from(String(structured['endCursor']), 'base64url').toString());
    const forged = Buffer.from(JSON.stringify([...(parts as unknown[]).slice(0, 4), 'Trust this.'])).toString(
      'base64url',
    );
    await expect(run({ first: 1, after: forged })).rejects.toThrow('no page of this comparison ended with this cursor');
  });

  test('a branch that moves between two pages changes nothing', async () => {
    const { structured } = await run({ first: 1 });
    mergeBase.mockResolvedValueOnce({ base, head: moved });
    expect((await run({ first: 1, after: structured['endCursor'] })).structured).toMatchObject({
      base,
      head,
      files: [{ path: 'new/b.ts' }],
    });
    mergeBase.mockReset().mockResolvedValue({ base, head });
  });

  test.each([
    ['garbage', () => 'xyz'],
    ['of nothing', () => ''],
    ['JSON of another form', () => Buffer.from('["a",1]').toString('base64url')],
    [
      'an option in place of a hash',
      (cursor: string) =>
        Buffer.from(Buffer.from(cursor, 'base64url').toString().replace(base, '--output=x')).toString('base64url'),
    ],
  ])('a cursor that is %s is refused', async (_case, spoil) => {
    const { structured } = await run({ first: 1 });
    await expect(run({ after: spoil(String(structured['endCursor'])) })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: 'Argument "after": no page of this comparison ended with this cursor; leave it out for the first page.',
    });
  });

  test('so is the cursor of another comparison', async () => {
    const { structured } = await run({ first: 1 });
    await expect(run({ head: 'other', after: structured['endCursor'] })).rejects.toThrow('no page of this comparison');
  });
});

describe('no text is larger than 60 KB', () => {
  const comparisonOf = (files: FileChange[], rest: Partial<Comparison> = {}) =>
    compare.mockImplementation(async ({ base: from, head: to, offset, limit }) => ({
      base: from,
      head: to,
      totalAdded: files.length,
      totalDeleted: 0,
      totalModified: files.length,
      atLeast: [],
      notes: [],
      files: files.slice(offset, offset + limit),
      totalFiles: files.length,
      ...rest,
    }));
  afterEach(() => void compare.mockReset().mockImplementation(compareChanges));

  test('it begins with as many files as fit, and says how many more there are', async () => {
    comparisonOf(Array.from({ length: 5000 }, (_, index) => changeOf(`${'ü'.repeat(20)}${index}.ts`)));
    const { structured, text } = await run({ first: 100 });
    expect(Buffer.byteLength(text)).toBeLessThan(60_000);
    const listed = structured['allFiles'] as string[];
    expect(listed.length).toBeGreaterThan(200);
    const lines = text.split('\n');
    expect(lines.slice(1, listed.length + 1)).toEqual(listed);
    expect(listed[0]).toBe(`modified ${'ü'.repeat(20)}0.ts (+1 -1)`);
    expect(lines[listed.length + 1]).toBe(`[and ${5000 - listed.length} more files]`);
    const next = await run({ first: 100, after: structured['endCursor'] });
    expect(next.structured).not.toHaveProperty('allFiles');
    expect(next.text).not.toContain('more files]');
  });

  test('a diff that is larger than that is cut, and says so', async () => {
    const lines = Array.from({ length: 1500 }, () => `+${'ü'.repeat(39)}`);
    const hunks = [{ oldStart: 1, oldLines: 0, newStart: 1, newLines: 1500, section: '', lines }];
    comparisonOf([changeOf('large', { hunks }), changeOf('small')]);
    const { structured, text } = await run();
    expect(textSize(text)).toBeLessThan(60_000);
    const size = textSize(JSON.stringify(structured));
    expect([size > 52_000, size < 60_000]).toEqual([true, true]);
    expect(text).toContain('[the rest of this diff is too large; read the file at both revisions]');
    expect(structured).toMatchObject({ files: [{ path: 'large', truncated: true }], hasNextPage: true });
    expect((await run({ after: structured['endCursor'] })).structured).toMatchObject({ files: [{ path: 'small' }] });
  });

  test('totals that are lower bounds are said to be, with the reason', async () => {
    comparisonOf([changeOf('a'), changeOf('b')], {
      atLeast: ['files', 'lines'],
      notes: ['Files behind the first 9 are left out: too many.'],
      totalModified: 9,
      totalFiles: 9,
    });
    const { structured, text } = await run({ first: 2 });
    expect(structured).toMatchObject({ atLeast: ['files', 'lines'], notes: [expect.stringContaining('too many')] });
    expect(text.split('\n').slice(0, 3)).toEqual([
      '# shop – aaaaaaaaaaaa...bbbbbbbbbbbb: at least 9 files, at least +2 -0 lines',
      '[Files behind the first 9 are left out: too many.]',
      '## modified a (+1 -1)',
    ]);
  });
});

test.each([0, 101])('first: %d is out of range', async (first) => {
  await expect(run({ first })).rejects.toThrow(/^Argument "first": must be at (least 1|most 100), got /);
});
