import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Search } from '@sextant/contracts';
import { configuredRepositories, searchConformance } from '@sextant/contracts/testing';
import type { ServeSearch } from '@sextant/contracts/testing';
import { startPlugins } from '@sextant/core/testing';
import git from '@sextant/service-git';
import { describe, test } from 'vitest';
import plugin from './index.ts';

const programs = process.env['ZOEKT'];
if (programs === undefined)
  process.stderr.write('SKIPPED: Search over zoekt; ZOEKT names no folder of zoekt-index and zoekt-webserver\n');

const serve: ServeSearch = async (served) => {
  const dataFolder = join(served.folder, 'data');
  mkdirSync(dataFolder);
  const started = await startPlugins(dataFolder, [
    [git, { repositories: configuredRepositories(served), watchSeconds: 0.1 }],
    [plugin, { programs, servers: 3, seconds: 60 }],
  ]);
  await started.ready();
  return { ...started, ...started.services.resolve({ search: Search }) };
};

describe.skipIf(programs === undefined)('search over three zoekt servers', () => {
  test.each(searchConformance)('$name', ({ run }) => run(serve));
});
