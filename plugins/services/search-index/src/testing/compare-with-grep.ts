// Random queries over a commit of a real repository, each compared with `git grep` or with JavaScript, file by file. Differences are printed;
// there should be none: `npm run check:search -- REPOSITORY [searches] [seed] [revision]`. With `--engine zoekt` the service over zoekt is asked;
// `ZOEKT` names the folder of its programs.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { temporaryFolder } from '@sextant/contracts/testing';
import zoekt from '../../../search-zoekt/src/index.ts';
import { differencesFromOthers } from './differences.ts';
import { startSearch } from './start-search.ts';
import type { SearchedRepositories } from './start-search.ts';

const { values, positionals } = parseArgs({ options: { engine: { type: 'string' } }, allowPositionals: true });
const [given = '.', searches = '1000', seed = '1', revision] = positionals;
const repository = resolve(given);
using folder = temporaryFolder();
const served = { folder: folder.path, repositories: { r: repository }, hidden: [] };
await using started = await startSearch({ ...served, ...engineOf(values.engine) });
await started.ready();
const options = { repository, searches: Number(searches), seed: Number(seed), ...(revision && { revision }) };
const { found, differences } = await differencesFromOthers(started.search, options);
for (const difference of differences) process.stdout.write(`${JSON.stringify(difference)}\n`);
process.stdout.write(
  `${searches} queries, ${found} files found by others, ${differences.length} queries that differ\n`,
);

function engineOf(name: string | undefined): Pick<SearchedRepositories, 'engine'> {
  if (name === undefined) return {};
  const { ZOEKT: programs } = process.env;
  if (name !== 'zoekt' || programs === undefined)
    throw new Error('the other engine is "--engine zoekt", with the folder of its programs in ZOEKT');
  return { engine: [zoekt, { programs, seconds: 60 }] };
}
