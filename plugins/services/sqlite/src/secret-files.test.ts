import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@sextant/contracts/testing';
import { expect, test } from 'vitest';
import { SecretFiles } from './secret-files.ts';

test('a secret is one file of mode 600, also once it was replaced', async () => {
  using folder = temporaryFolder();
  const secrets = new SecretFiles(folder.path);
  await Promise.all([secrets.readOrMake('key', () => 'a'), secrets.readOrMake('key', () => 'b')]);
  await secrets.replace('key', 'c');
  expect(readdirSync(folder.path)).toEqual(['key']);
  expect(statSync(join(folder.path, 'key')).mode & 0o777).toBe(0o600);
});

test('a name that is no file name is refused', async () => {
  using folder = temporaryFolder();
  const secrets = new SecretFiles(folder.path);
  await expect(secrets.readOrMake('../key', () => 'a')).rejects.toThrow('"../key" must be that of a file');
});
