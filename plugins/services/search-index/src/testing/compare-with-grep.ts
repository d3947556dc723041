// Random queries over a commit of a real repository, each compared with `git grep` or with JavaScript, file by file. Differences are printed;
// there should be none: `npm run check:search -- REPOSITORY [searches] [seed] [revision]`.
import { resolve } from 'node:path';
import { temporaryFolder } from '@sextant/contracts/testing';
import { differencesFromOthers } from './differences.ts';
import { startSearch } from './start-search.ts';

const [given = '.', searches = '1000', seed = '1', revision] = process.argv.slice(2);
const repository = resolve(given);
using folder = temporaryFolder();
await using served = await startSearch({ folder: folder.path, repositories: { r: repository }, hidden: [] });
await served.ready();
const options = { repository, searches: Number(searches), seed: Number(seed), ...(revision && { revision }) };
const { found, differences } = await differencesFromOthers(served.search, options);
for (const difference of differences) process.stdout.write(`${JSON.stringify(difference)}\n`);
process.stdout.write(
  `${searches} queries, ${found} files found by others, ${differences.length} queries that differ\n`,
);
