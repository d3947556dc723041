import { printQuery } from '@sextant/contracts';
import type { SearchRequest, SymbolFile, Symbols } from '@sextant/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Highlighter } from './highlight/highlighter.ts';
import { browse } from './testing/open-page.ts';
import type { Browsed } from './testing/open-page.ts';

let shop: Browsed;
let [begun, renamed, changed] = ['', '', ''];
beforeAll(async () => {
  shop = await browse({ 'src/deep/old.ts': 'one\ntwo\nthree\nfour\n', 'src/other.ts': 'x\n', 'top.ts': 'y\n' });
  begun = shop.builder.git('rev-parse', 'HEAD').trim();
  renamed = shop.builder.commit({
    message: 'Rename `old`',
    files: { 'src/deep/old.ts': null, 'src/deep/new.ts': 'one\nTWO\nthree\nfour\n' },
  });
  changed = shop.builder.commit({ message: 'Change <b>', files: { 'src/deep/new.ts': 'one\nTWO\nthree\nFOUR\n' } });
});
afterAll(() => shop[Symbol.asyncDispose]());

describe('blame', () => {
  it('tells of each line which commit it comes from, neighbours together', async () => {
    const text = await shop.text('/acme/shop/-/blame/src/deep/new.ts?L2');
    const groups = [...text.matchAll(/<div class="who[^"]*"><a href="\/acme\/shop\/-\/commit\/(\w+)"/g)].map(
      ([, id]) => id,
    );
    expect(groups).toEqual([begun, renamed, begun, changed]);
    expect(text).toContain('Change &lt;b>');
    expect(text).toContain('Rename <code>old</code>');
    expect(text).toContain('<div class=m><a href="?L2" id=L2');
  });

  it('leads to the file before a change, under its older name too, and from its beginning to the commit', async () => {
    const leads = async (before: string): Promise<string | null> => {
      const response = await shop.open(`/acme/shop/-/blame/src/deep/new.ts?before=${before}&line=2`);
      expect(response.status).toBe(302);
      return response.headers.get('location');
    };
    expect(await leads(changed)).toBe(`/acme/shop@${renamed}/-/blame/src/deep/new.ts?L2`);
    expect(await leads(renamed)).toBe(`/acme/shop@${begun}/-/blame/src/deep/old.ts?L2`);
    expect(await leads(begun)).toBe(`/acme/shop/-/commit/${begun}`);
    expect((await shop.open('/acme/shop/-/blame/src/deep/new.ts?before=main')).status).toBe(400);
  });

  it('is a way to see a file, beside its code, with the lines that are marked', async () => {
    const text = await shop.text('/acme/shop/-/blob/src/deep/new.ts?L2-3');
    const blame = '/acme/shop/-/blame/src/deep/new.ts';
    expect(text).toContain(`<a href="${blame}?L2-3" data-with-lines="${blame}">Blame</a>`);
    expect(await shop.text(`${blame}?L2`)).toMatch(
      /<a href="\/acme\/shop\/-\/blob\/src\/deep\/new.ts\?L2"[^>]*>Code<\/a>/,
    );
  });
});

describe('lines', () => {
  it('have a history through the renames of their file, each change with the way to the lines before it', async () => {
    const part = await shop.text('/acme/shop/-/commits/src/deep/new.ts?L2-3&part=history');
    expect([...part.matchAll(/aria-label="Commit (\w+)"/g)].map(([, id]) => id)).toEqual(
      [renamed, begun].map((id) => id.slice(0, 12)),
    );
    expect(part).toMatch(/<tr class=add>.*<code>\+TWO\n/s);
    expect(part).toContain('<code>src/deep/old.ts</code>');
    expect(part).toContain(`href="/acme/shop/-/blame/src/deep/old.ts?before=${begun}&amp;line=`);
    expect(part).toContain(`href="/acme/shop@${begun}/-/blob/src/deep/old.ts?L2">View</a>`);
  });

  it('that a file lacks have none', async () => {
    expect(await shop.text('/acme/shop/-/commits/src/deep/new.ts?L90&part=history')).toContain('the file has 4 lines');
  });
});

describe('the tree beside a file', () => {
  it('has the folders above the file open, and marks the file', async () => {
    const text = await shop.text('/acme/shop/-/blob/src/deep/new.ts');
    const tree = /<nav class="file-tree".*?<\/nav>/s.exec(text)?.[0] ?? '';
    expect(tree).toContain('<a href="/acme/shop/-/blob/src/deep/new.ts" aria-current="page">new.ts</a>');
    for (const name of ['top.ts', 'other.ts', 'deep']) expect(tree).toContain(`>${name}</a>`);
  });

  it('gets other folders as parts', async () => {
    const part = await shop.text('/acme/shop/-/tree/src?part=');
    expect(part).toMatch(/^<div><ul>.*>deep<\/a>.*href="\/acme\/shop\/-\/blob\/src\/other.ts"/s);
  });
});

describe('going to a file', () => {
  it('asks for paths with all words in this repository, at the revision that is looked at', async () => {
    const asked: string[] = [];
    const find = async (_caller: unknown, request: SearchRequest) => {
      asked.push(printQuery(request));
      return { type: 'path', files: [{ repo: 'acme/shop', path: 'src/a b.ts' }], notes: [] };
    };
    const found = await shop.open('/acme/shop@main/-/files/?q=a+src', { services: { search: { find } } });
    expect(await found.json()).toEqual({
      files: [{ path: 'src/a b.ts', href: '/acme/shop@main/-/blob/src/a%20b.ts' }],
    });
    expect(asked).toEqual(['type:path repo:^acme/shop$ rev:main "a" "src"']);
  });

  it('asks for the letters of a word that no path has, and has those closest together first', async () => {
    const asked: string[] = [];
    const far = `reti/${'x'.repeat(500)}`;
    const paths = [far, 'read/things.go', 'b/retry_internal.go', 'a/re-try-int.go', 'r/rrexti/t/i.go'];
    const find = async (_caller: unknown, request: SearchRequest) => {
      asked.push(printQuery(request));
      const files = asked.length === 1 ? [] : paths.map((path) => ({ repo: 'acme/shop', path }));
      return { type: 'path', files, notes: [] };
    };
    const found = await shop.open('/acme/shop/-/files/?q=reTi', { services: { search: { find } } });
    expect((await found.json()).files.map(({ path }: { path: string }) => path)).toEqual([
      'r/rrexti/t/i.go',
      'b/retry_internal.go',
      'read/things.go',
      'a/re-try-int.go',
      far,
    ]);
    expect(asked).toEqual(['type:path repo:^acme/shop$ "reTi"', 'type:path repo:^acme/shop$ file:r.*e.*T.*i']);
  });

  it('asks for no letters of a word that is longer than names are', async () => {
    const asked: string[] = [];
    const find = async (_caller: unknown, request: SearchRequest) => {
      asked.push(printQuery(request));
      return { type: 'path', files: [], notes: [] };
    };
    await shop.open(`/acme/shop/-/files/?q=${'a'.repeat(33)}`, { services: { search: { find } } });
    expect(asked).toHaveLength(1);
  });

  it('finds nothing for nothing', async () => {
    const search = { find: () => Promise.reject(new Error('nothing is asked')) };
    expect(await (await shop.open('/acme/shop/-/files/?q=+', { services: { search } })).json()).toEqual({ files: [] });
  });
});

describe('finding in a file', () => {
  const find = async (text: string): Promise<unknown> => {
    const query = new URLSearchParams({ find: text });
    return (await shop.open(`/acme/shop/-/lines/src/deep/new.ts?${query}`)).json();
  };

  it('tells line, column and length of each place; case counts where the text has capitals', async () => {
    expect(await find('two')).toEqual({ places: [[2, 0, 3]], hasMore: false });
    expect(await find('o')).toEqual({
      places: [
        [1, 0, 1],
        [2, 2, 1],
        [4, 1, 1],
      ],
      hasMore: false,
    });
    expect(await find('Two')).toEqual({ places: [], hasMore: false });
  });

  it('takes a text as it is written', async () => {
    expect(await find('t.*')).toEqual({ places: [], hasMore: false });
    expect(await find('')).toEqual({ places: [], hasMore: false });
  });
});

it('uses of a name stand apart: in this repository, in others, in tests', async () => {
  const file = (repo: string, path: string): SymbolFile => ({
    repo,
    path,
    chunks: [{ startLine: 1, endLine: 1, lines: ['one'] }],
    places: [{ line: 1, kind: 'call' }],
  });
  const asked: unknown[] = [];
  const symbols: Partial<Symbols> = {
    findDefinition: async () => ({ precision: 'precise', files: [file('acme/shop', 'top.ts')] }),
    findReferences: async (_caller, { line }) => {
      asked.push(line);
      const files = [file('acme/shop', 'src/a.test.ts'), file('acme/lib', 'b.ts'), file('acme/shop', 'c.ts')];
      return { precision: 'precise', files, totalCount: 3, limitHit: false };
    },
  };
  const text = await shop.text('/acme/shop/-/symbol/top.ts?name=y&part=&shown=topic&at=7', { services: { symbols } });
  const order = ['In this repository', '>c.ts<', 'In other repositories', '>b.ts<', 'In tests', '>a.test.ts<'];
  const places = order.map((part) => text.indexOf(part));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places[0]).toBeGreaterThan(0);
  expect(asked).toEqual([7]);
  expect(text).toContain('href="/acme/shop@topic/-/blob/c.ts?L1"');
  expect(text).toContain('href="/acme/lib/-/blob/b.ts?L1"');
});

it('the code of definitions and uses has its colours from the whole file, at once or for a script that asks again', async () => {
  const comment = ['/* begins', 'Name: a comment', '*/', '  Name();'];
  const commit = shop.builder.commit({ branch: 'notes', files: { 'notes.ts': `${comment.join('\n')}\n` } });
  const chunks = [{ startLine: 2, endLine: 4, lines: comment.slice(1) }];
  const places = [2, 4].map((line) => ({ line, kind: 'other' }));
  const answer = {
    precision: 'syntactic',
    files: [{ repo: 'acme/shop', path: 'notes.ts', revision: commit, chunks, places }],
  } as const;
  const symbols: Partial<Symbols> = {
    findDefinition: async () => answer,
    findReferences: async () => ({ ...answer, totalCount: 2, limitHit: false }),
  };
  const of = async (query: string, services = {}): Promise<string> =>
    shop.text(`/acme/shop@notes/-/symbol/notes.ts?name=Name${query}`, { services: { symbols, ...services } });
  const highlighter: Pick<Highlighter, 'lines'> = {
    lines: async (source, [from, to]) => ({ markup: source.lines(from, to), isComplete: false }),
  };
  const again = 'data-coloured="/acme/shop@notes/-/symbol/notes.ts?name=Name&amp;part=coloured';
  expect(await of('', { highlighter })).toContain(`${again}"`);
  expect(await of('&part=&shown=notes', { highlighter })).toContain(`${again}&amp;shown=notes&amp;panel="`);
  for (const query of ['&part=coloured', '&part=coloured&panel=&shown=notes']) {
    // A machine that is busy with other things may colour them later still.
    await expect.poll(() => of(query), { timeout: 20_000 }).not.toContain('data-coloured');
    const text = await of(query);
    expect(text).toContain('<b>2</b><code><span class=c><mark>Name</mark>: a comment</span></code>');
    expect(text).toMatch(/<b>4<\/b><code><span class=f><mark>Name<\/mark><\/span>/);
    expect(text).not.toContain('data-close');
  }
});

it('a name that nothing here defines is said to come from elsewhere, and its uses are the lines that have it', async () => {
  const chunks = [{ startLine: 4, endLine: 6, lines: ['x.Named()', 'x.Name()', '}'] }];
  const files = [{ repo: 'acme/shop', path: 'top.ts', chunks, places: [] }];
  const answer = { precision: 'text', files, outside: { module: 'x.example' }, notes: ['<note>'] } as const;
  const symbols: Partial<Symbols> = {
    findDefinition: async () => answer,
    findReferences: async () => ({ ...answer, totalCount: 1, limitHit: false }),
  };
  const text = await shop.text('/acme/shop/-/symbol/top.ts?name=Name&part=', { services: { symbols } });
  expect(text).toContain('It comes from <code>x.example</code>');
  expect([...text.matchAll(/\?L(\d+)"><b>/g)].map(([, line]) => line)).toEqual(['5']);
  expect(text.split('&lt;note>')).toHaveLength(2);
});

it('branches are found by a part of their names', async () => {
  shop.builder.git('branch', 'topic/Cart', begun);
  const text = await shop.text('/acme/shop/-/refs/?name=cART');
  expect(text).toContain('topic/Cart</a>');
  expect(text).not.toContain('>main</a>');
  expect(await shop.text('/acme/shop/-/refs/?name=nowhere')).toContain('None has “nowhere” in its name.');
});
