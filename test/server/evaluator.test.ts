import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, post } from '../support/rpc.ts';
import { serveTwoRepositories } from './two-repositories.ts';
import type { TwoRepositories } from './two-repositories.ts';

interface Answer {
  readonly result?: unknown;
  readonly files?: readonly { readonly name: string; readonly url: string }[];
}

let server: TwoRepositories;
beforeAll(async () => {
  server = await serveTwoRepositories();
});
afterAll(() => server[Symbol.asyncDispose]());

async function evaluate(script: string, token = server.aliceToken): Promise<Answer> {
  const response = await post(server.url, call('evaluator', { script }), { token });
  const { result } = (await response.json()) as { result: { structuredContent: Answer } };
  return result.structuredContent;
}

describe('a generated file', () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(document.domain)</script></svg>';
  const write = async (): Promise<string> =>
    (await evaluate(`files.write('chart.svg', '${svg}')`)).files?.[0]?.url ?? 'no file';
  const get = (url: string, token?: string): Promise<Response> =>
    fetch(url, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });

  test('is downloaded by its creator, and no script in it runs', async () => {
    const response = await get(await write(), server.aliceToken);
    expect(await response.text()).toBe(svg);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/svg+xml; charset=utf-8',
      'content-disposition': "attachment; filename*=UTF-8''chart.svg",
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-store',
    });
  });

  test('is for everyone else as if it did not exist', async () => {
    const url = await write();
    const [others, unknown] = [
      await get(url, server.adminToken),
      await get(`${url.slice(0, -32)}${'f'.repeat(32)}`, server.adminToken),
    ];
    expect([others.status, await others.text()]).toEqual([unknown.status, await unknown.text()]);
    expect(others.status).toBe(404);
    expect((await get(url)).status).toBe(401);
  });
});

test('every read-only tool is a function, with the rights of the caller', async () => {
  const script = `
    local names, searched = {}, search.keyword('export')
    for _, m in ipairs(searched.matches) do names[#names + 1] = m.repo .. ' ' .. m.path .. ':' .. m.line .. ' ' .. m.text end
    local file = source.read_file{repo = 'open', path = searched.matches[1].path, revision = searched.matches[1].rev}
    local tool = tools.read_file{repo = 'open', path = 'src/a.ts'}
    return {
      names, searched.stats, file.text, tool.content, #source.list_files{repo = 'open', path = 'src'}.files,
      #search.commits{repos = {'open'}}.matches, search.diffs{repos = {'open'}, pattern = 'a = 1', removed = true}.matches[1].text,
      #code.definition{repo = 'open', path = 'src/a.ts', symbol = 'a'}.fileBlocks, search.repos('').matches[1].repo,
      #search.repos('').matches, #search.nls('exported constants').matches > 0, pcall(source.read_file, {repo = 'secret', path = 'src/a.ts'})
    }`;
  expect((await evaluate(script)).result).toEqual([
    ['open src/a.ts:1 export const a = 2;'],
    { limitHit: false, matchCount: 1 },
    'export const a = 2;',
    '1: export const a = 2;',
    1,
    2,
    'export const a = 1;',
    1,
    'open',
    1,
    true,
    false,
    expect.stringMatching(/^source\.read_file: repository "secret" not found/),
  ]);
  expect((await evaluate("return #search.keyword('export').matches", server.adminToken)).result).toBe(2);
});
