import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { expect, test } from 'vitest';
import { call, post } from '../support/rpc.ts';
import { startSextant } from '../support/processes.ts';

const bin = fileURLToPath(new URL('../../host/bin/sextant.js', import.meta.url));

/** In every place where a caller may write something, and in the file that is read. */
const secret = 'zxqsecretzxq';

const calls: readonly (readonly [tool: string, input: object])[] = [
  ['read_file', { repo: 'shop', path: 'a.ts' }],
  ['read_file', { repo: secret, path: secret, revision: secret }],
  ['read_file', { [secret]: secret }],
  ['list_files', { repo: 'shop', path: secret }],
  ['list_repos', { query: secret }],
  ['list_refs', { repo: 'shop', containsCommit: secret }],
  ['keyword_search', { query: secret }],
  ['keyword_search', { query: `(${secret}` }],
  ['keyword_search', { query: `/${secret}(/` }],
  ['nls_search', { query: secret }],
  ['commit_search', { messageTerms: [secret], authors: [secret], after: secret }],
  ['diff_search', { pattern: secret }],
  ['diff_search', { pattern: `(${secret}`, useRegex: true }],
  ['compare_revisions', { repo: 'shop', base: secret, head: 'HEAD' }],
  ['get_contributor_repos', { authors: [secret] }],
  ['go_to_definition', { repo: 'shop', path: 'a.ts', symbol: secret }],
  ['find_references', { repo: 'shop', path: 'a.ts', symbol: secret }],
  ['code_finder', { task: `${secret} in shop` }],
  ['deepsearch', { question: `Where is ${secret}?` }],
  ['deepsearch_read', { identifier: secret }],
  ['evaluator', { script: `print('${secret}') error('${secret}')` }],
  ['evaluator', { script: `${secret}` }],
  [secret, {}],
];

const paths: readonly string[] = [
  `/search?q=${secret}`,
  `/shop/-/blob/${secret}`,
  `/${secret}/-/blob/a`,
  `/deepsearch/${secret}`,
  `/api/reports/by-user-client-date?instanceURL=${secret}`,
  `/api/reports/by-user-client-date?${secret}=1`,
  `/.auth/idp/oauth/authorize?client_id=${secret}&state=${secret}`,
  `/${secret}`,
];

const uploads: readonly (readonly [path: string, body: string])[] = [
  [`/.api/scip/upload?repo=${secret}&commit=HEAD`, secret],
  ['/.api/scip/upload?repo=shop&commit=HEAD', secret],
  [`/api/ingest?instanceURL=${secret}`, secret],
  ['/sign-in/password', `name=${secret}&password=${secret}`],
  ['/.auth/idp/oauth/token', `grant_type=refresh_token&refresh_token=${secret}`],
  ['/.auth/idp/oauth/register', `{"redirect_uris":["${secret}"]}`],
  ['/.api/mcp/all', `{"${secret}":`],
];

test('a thief of the log finds neither tokens nor what was asked, nor what was read', async () => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'git', 'shop.git'), isBare: true });
  builder.commit({ files: { 'a.ts': `export const ${secret} = '${secret}';\n` } });
  const flags = ['--repos', join(folder.path, 'git'), '--data', join(folder.path, 'data')];
  const first = await startSextant(flags);
  const { token } = first;
  await first.stop();

  const child = spawn(process.execPath, [bin, 'serve', '--port', '0', ...flags], { stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(child, 'exit');
  const printed: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => void printed.push(text));
  const url = await new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      printed.push(line);
      const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
      if (found !== undefined) resolve(found);
    });
  });
  const stolen = `sxt_${'0123456789'.repeat(4)}`;
  try {
    for (const used of [token, stolen])
      for (const [tool, input] of calls)
        await (await post(url, call(tool, { ...input }), { token: used, path: '/.api/mcp/all' })).text();
    const authorization = `Bearer ${token}`;
    for (const path of paths)
      await (await fetch(url + path, { headers: { authorization }, redirect: 'manual' })).text();
    for (const [path, body] of uploads)
      await (await fetch(url + path, { method: 'POST', headers: { authorization }, body, redirect: 'manual' })).text();
  } finally {
    child.kill('SIGTERM');
    await exited;
  }
  const log = printed.join('\n');
  expect(log).toContain('"call"');
  for (const one of [secret, token, stolen]) expect(log.split('\n').filter((line) => line.includes(one))).toEqual([]);
});
