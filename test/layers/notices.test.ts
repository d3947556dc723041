import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { allowed, embedded, hasPrograms, labelOf, licenseOf, packagesOf, sourceOf, textIn } from './third-party.ts';
import type { Package } from './third-party.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const ours = globSync(
  ['{core,host}/package.json', 'plugins/{contracts,preset}/package.json', 'plugins/*/*/package.json'],
  { cwd: root, exclude: (path) => path.includes('node_modules') },
).map((file) => join(root, dirname(file)));

const licenseFile = /^(licen[cs]e|copying)/i;

const shipped = packagesOf(ours);
const forDevelopment = packagesOf([root, join(root, 'test'), ...ours], true).filter(
  (one) => !shipped.some(({ folder }) => folder === one.folder),
);

const isQuoted = (one: Package): boolean =>
  licenseOf(one)
    .split(' AND ')
    .some((part) => allowed[part] === 'quoted');

const rowOf = (one: Package): string => `| ${labelOf(one)} | ${licenseOf(one)} | ${sourceOf(one)} |`;

const quoted = (one: Package): string =>
  ['### ' + labelOf(one), '', `Source: ${sourceOf(one)}`, '', '```', textIn(one, licenseFile), '```'].join('\n');

function noticesOf(one: Package): string[] {
  const text = textIn(one, /^(notice|third-party)/i);
  return text === '' ? [] : [`### NOTICE of ${labelOf(one)}`, '', '```', text, '```', ''];
}

function notices(): string {
  const works = shipped.flatMap(({ manifest: { name } }) =>
    (embedded[name] ?? []).map((work) => `| ${work.name} | in ${name} | ${work.license} | ${work.source} |`),
  );
  return [
    '# Third-party notices',
    '',
    'Sextant itself is licensed under Apache-2.0. At run time it uses the packages below, unchanged, as their registry has them.',
    'This file is generated from what is installed: `node_modules/.bin/vitest run test/layers/notices.test.ts --update`.',
    '',
    '## Packages that run',
    '',
    '| package | licence | source |',
    '|---|---|---|',
    ...shipped.map(rowOf),
    '',
    '## What these packages hold of others',
    '',
    '| work | where | licence | source |',
    '|---|---|---|---|',
    ...new Set(works),
    '',
    '## Packages of development whose licence asks for a notice',
    '',
    'They check and test Sextant and are no part of it.',
    '',
    '| package | licence | source |',
    '|---|---|---|',
    ...forDevelopment.filter(isQuoted).map(rowOf),
    '',
    '## Texts',
    '',
    ...[...shipped, ...forDevelopment].filter(isQuoted).flatMap((one) => [quoted(one), '']),
    ...shipped.flatMap(noticesOf),
  ].join('\n');
}

test('the notices that ship name every package that runs, with its licence and source', async () => {
  expect(shipped.length).toBeGreaterThan(100);
  await expect(notices()).toMatchFileSnapshot(join(root, 'host/THIRD-PARTY-NOTICES.md'));
});

test('packages of development have allowed licences too', () => {
  expect(forDevelopment.length).toBeGreaterThan(50);
  for (const one of forDevelopment) expect(licenseOf(one)).not.toBe('');
});

test('every package that asks for its text comes with one', () => {
  const asking = [...shipped, ...forDevelopment].filter(isQuoted);
  expect(asking.map(({ manifest }) => manifest.name)).toEqual(expect.arrayContaining(['argparse', 'lightningcss']));
  expect(asking.filter((one) => textIn(one, licenseFile) === '').map(labelOf)).toEqual([]);
});

test('whose compiled programs a package holds is known', () => {
  const unknown = shipped.filter((one) => hasPrograms(one) && !Object.hasOwn(embedded, one.manifest.name));
  expect(unknown.map(labelOf)).toEqual([]);
});

test('what is listed as held by a package is of a package that is there', () => {
  const names = new Set(shipped.map(({ manifest }) => manifest.name));
  expect(Object.keys(embedded).filter((name) => !names.has(name))).toEqual([]);
});

test.each([
  ['GPL-3.0-only'],
  [undefined],
  ['UNLICENSED'],
  ['SEE LICENSE IN LICENSE'],
  ['MIT AND GPL-2.0-only'],
  ['toString'],
  [{ type: 'MIT' }],
])('a package of the licence %j is refused', (license) => {
  const one = { folder: '', manifest: { name: 'tricky', version: '1.0.0', license } };
  expect(() => licenseOf(one)).toThrow('tricky has the licence');
});

test.each([
  ['MIT', 'MIT'],
  ['(GPL-2.0-only OR MIT)', 'MIT'],
  ['(Apache-2.0 AND BSD-3-Clause)', 'Apache-2.0 AND BSD-3-Clause'],
])('of %s it is taken by %s', (license, taken) => {
  expect(licenseOf({ folder: '', manifest: { name: 'plain', version: '1.0.0', license } })).toBe(taken);
});
