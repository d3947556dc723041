import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const list = ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'];
const pages = execFileSync('git', ['-C', root, ...list], { encoding: 'utf8' })
  .split('\n')
  .filter((page) => page !== '' && existsSync(join(root, page)));

/** Targets of links outside of code, without their fragments. Addresses and links within the page are left out. */
const targetsOf = (text: string): string[] =>
  [...text.replace(/```[\s\S]*?```/g, '').matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target.replace(/#.*/, ''))
    .filter((target) => target !== '' && !/^[a-z]+:/.test(target));

test('every relative link of a page leads to a file', () => {
  const dead = pages.flatMap((page) =>
    targetsOf(readFileSync(join(root, page), 'utf8'))
      .filter((target) => !existsSync(join(root, dirname(page), target)))
      .map((target) => `${page} → ${target}`),
  );
  expect(pages.length).toBeGreaterThan(0);
  expect(dead).toEqual([]);
});

test('the way of a call in docs/architecture.md names files that exist, fewer than 40', () => {
  const folders = ['', ...['', 'auth/', 'libraries/', 'services/', 'tools/'].map((kind) => `plugins/${kind}`)];
  let name = '';
  const files: string[] = [];
  for (const line of readFileSync(join(root, 'docs/architecture.md'), 'utf8').split('\n')) {
    const [, step, file] = /^\| \d+ \| ([\w-]*) ?\| `([^`]+)` \|/.exec(line) ?? [];
    name = step || name;
    if (file !== undefined) files.push(`${name}/src/${file}`);
  }
  expect(files.length).toBeGreaterThan(10);
  expect(files.length).toBeLessThan(40);
  expect(new Set(files).size).toBe(files.length);
  expect(files.filter((file) => !folders.some((folder) => existsSync(join(root, folder, file))))).toEqual([]);
});

/** What is generated, and what only grows at its top. */
const longPages = new Set(['docs/benchmarks.md', 'docs/CHANGELOG.md', 'docs/settings.md']);

test('a page of docs has at most 150 lines, and its prose at most 100 columns', () => {
  const long = pages
    .filter((page) => /^docs\/[^/]+$/.test(page) && !longPages.has(page))
    .flatMap((page) => {
      const text = readFileSync(join(root, page), 'utf8');
      const prose = text.replaceAll(/^```[\s\S]*?^```/gm, '').split('\n');
      const wide = prose.filter((line) => line.length > 100 && !line.startsWith('|'));
      return [...(text.split('\n').length > 151 ? [page] : []), ...wide.map((line) => `${page}: ${line}`)];
    });
  expect(long).toEqual([]);
});

test('docs/changes.md names files that exist, and at least twenty changes', () => {
  let folder = '';
  const first: string[] = [];
  const missing: string[] = [];
  for (const line of readFileSync(join(root, 'docs/changes.md'), 'utf8').split('\n')) {
    folder = /^In `([^`]+)`/.exec(line)?.[1] ?? folder;
    const [, begin, rest = ''] = /^\| [^|]+ \| `([^`]+)` \|(.*)$/.exec(line) ?? [];
    if (begin === undefined) continue;
    first.push(folder + begin);
    if (!existsSync(join(root, folder, begin))) missing.push(folder + begin);
    const others = [...rest.matchAll(/`([^`\s]+\.ts)`/g)].map(([, file = '']) => file);
    missing.push(...others.filter((file) => ![folder, ''].some((from) => existsSync(join(root, from, file)))));
  }
  expect(first.length).toBeGreaterThanOrEqual(20);
  expect(missing).toEqual([]);
});

test('the README of a package names each folder of its sources', () => {
  const unnamed = pages
    .filter((page) => page.endsWith('README.md') && existsSync(join(root, dirname(page), 'src')))
    .flatMap((page) => {
      const text = readFileSync(join(root, page), 'utf8');
      const folders = readdirSync(join(root, dirname(page), 'src'), { withFileTypes: true });
      return folders
        .filter((each) => each.isDirectory() && each.name !== 'testing' && !text.includes(`${each.name}/`))
        .map(({ name }) => `${page}: ${name}/`);
    });
  expect(unnamed).toEqual([]);
});

test('the rooms of the engine in docs/architecture.md are the folders of its packages', () => {
  const text = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  const [, rooms = ''] = /## The rooms of the engine\n([\s\S]*?)\n## /.exec(text) ?? [];
  const packages = [...rooms.matchAll(/^\| ([a-z-]+) \|((?: `[a-z]+`)+) \|$/gm)];
  expect(packages.length).toBeGreaterThan(3);
  for (const [, name = '', named = ''] of packages) {
    const folder = ['services', 'libraries'].map((ring) => join(root, 'plugins', ring, name, 'src')).find(existsSync);
    const folders = readdirSync(folder ?? '', { withFileTypes: true })
      .filter((each) => each.isDirectory() && !['testing', 'golden'].includes(each.name))
      .map((each) => each.name);
    expect([...named.matchAll(/`(.*?)`/g)].map(([, each]) => each).sort(), name).toEqual(folders.sort());
  }
});

test('docs/watching.md names each metric of the server', () => {
  const source = readFileSync(join(root, 'host/src/metrics/telemetry.ts'), 'utf8');
  const metrics = [...source.matchAll(/'(sextant_[a-z_]+)'/g)].map(([, name = '']) => name);
  const text = readFileSync(join(root, 'docs/watching.md'), 'utf8');
  expect(metrics.length).toBeGreaterThan(5);
  expect(metrics.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});
