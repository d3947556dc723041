// Random searches of a real history, each compared with `git log`, commit by commit. Differences are printed; there should be none:
// `npm run check:history -- REPOSITORY [searches] [seed] [commits]`.
import { resolve } from 'node:path';
import { temporaryFolder } from '@sextant/contracts/testing';
import { differencesFromGit } from './differences.ts';
import { startIndexed } from './start-history.ts';

const [given = '.', searches = '100', seed = '1', commits = '3000'] = process.argv.slice(2);
const repository = resolve(given);
using folder = temporaryFolder();
await using served = await startIndexed({ folder: folder.path, repositories: { r: repository }, hidden: [] });
const options = { repository, seed: Number(seed), commits: Number(commits), searches: Number(searches) };
const { found, differences } = await differencesFromGit(served.history, options);
for (const difference of differences) process.stdout.write(`${JSON.stringify(difference)}\n`);
process.stdout.write(
  `${searches} searches, ${found} commits found by git, ${differences.length} searches that differ\n`,
);
