import { queryOf } from '@sextant/contracts';
import type { CommitRequest, FoundCommit, SearchRequest } from '@sextant/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browse } from './testing/open-page.ts';
import type { Browsed } from './testing/open-page.ts';

let shop: Browsed;
beforeAll(async () => {
  shop = await browse({ 'src/a.ts': 'a\n', 'README.md': '# Shop\n', 'old.go': 'package old\n' });
  for (const name of ['v1.9', 'v1.10', 'v2.0']) shop.builder.tag({ name });
});
afterAll(() => shop[Symbol.asyncDispose]());

const commitOf = (hash: string, title: string, paths?: readonly string[]): FoundCommit => ({
  repo: 'acme/shop',
  commit: hash.repeat(40),
  title,
  message: title,
  author: { name: 'Ada <b>', email: 'ada@example.com' },
  date: new Date().toISOString(),
  authorDate: new Date().toISOString(),
  ...(paths && { files: { paths, total: paths.length } }),
});
const newest = [commitOf('a', 'Mend `a`', ['src/a.ts']), commitOf('b', 'Older', ['src/a.ts', 'README.md'])];

/** Remembers what it was asked; commits of single paths are others. */
const historyOf = (asked: string[][]) => ({
  commits: async (_caller: unknown, { paths }: CommitRequest) => {
    asked.push([...paths]);
    const results = paths.length === 0 ? newest : [commitOf('c', 'Long ago')];
    return { query: queryOf([]), results, totalCount: results.length, isLimited: false, notes: [] };
  },
});
const search = {
  find: async (_caller: unknown, _request: SearchRequest) => ({
    files: ['src/a.ts', 'b.ts', 'old.go'].map((path) => ({ repo: 'acme/shop', path })),
  }),
};
/** Parts that a page did not wait for are asked for as its script does. */
async function repositoryPage(asked: string[][] = [], folder = ''): Promise<string> {
  const services = { history: historyOf(asked), search };
  const text = await shop.text(`/acme/shop/-/tree/${folder}`, { services });
  const later = [...text.matchAll(/data-part="([^"]*)"/g)].map(([, path = '']) => path.replaceAll('&amp;', '&'));
  return text + (await Promise.all(later.map((path) => shop.text(path, { services })))).join('');
}

describe('a repository', () => {
  it('has at each entry the last commit that changed it; what no new commit changed is asked for alone', async () => {
    const asked: string[][] = [];
    const text = await repositoryPage(asked);
    const last = (name: string): string | undefined =>
      new RegExp(`<span>${name}</span></a>.*?<a class="last" href="/acme/shop/-/commit/(.)`, 's').exec(text)?.[1];
    expect([last('src'), last('README.md'), last('old.go')]).toEqual(['a', 'b', 'c']);
    expect(text).toContain('Mend <code>a</code>');
    expect([...new Set(asked.flat())]).toEqual(['old.go']);
  });

  it('says beside its files of which languages they are and who wrote them', async () => {
    const text = await repositoryPage();
    expect(text).toMatch(/>TypeScript<\/a><progress max="100" value="67".*?<small>2<\/small>/);
    expect(text).toMatch(/>Ada &lt;b><\/a><small>2<\/small>/);
    expect(text).toContain('2 commits in 26 weeks');
  });

  it('has its newest tags, each with what changed since the one before it by number, and its newest commit', async () => {
    const text = await repositoryPage();
    expect(text).toContain('href="/acme/shop/-/compare/v1.9...v1.10"');
    expect(text).toContain('href="/acme/shop/-/compare/v1.10...v2.0"');
    expect(text.match(/class="changes-since"/g)).toHaveLength(2);
    expect(text).toMatch(/class="panel-bar newest"><strong>Ada &lt;b>/);
  });

  it('has beside the files of a folder who changed them, and what releases changed in it alone', async () => {
    const asked: string[][] = [];
    const text = await repositoryPage(asked, 'src');
    expect(text).toContain('aria-label="About this folder"');
    expect(text).toMatch(/author%3A%22Ada[^"]*"[^>]*>Ada &lt;b><\/a><small>1</);
    expect(text).toContain('href="/acme/shop/-/compare/v1.10...v2.0?below=src"');
    expect(asked).toContainEqual(['src']);
  });

  it('is a list of files where nothing reads its history', async () => {
    const text = await shop.text('/acme/shop/-/tree/');
    expect(text).toContain('<span>old.go</span>');
    expect(text).not.toMatch(/class="last"|data-part="[^"]*commits/);
  });
});
