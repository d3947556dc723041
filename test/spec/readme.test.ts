import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Registry, builtInEndpoints } from '@sextant/core';
import { expect, test } from 'vitest';
import { loadPreset } from '../support/preset.ts';
import { runSextant } from '../support/processes.ts';

const readmePath = fileURLToPath(new URL('../../README.md', import.meta.url));
const readme = readFileSync(readmePath, 'utf8');

/** What stands between `<!-- NAME: … -->` and `<!-- /NAME -->`. */
const section = (name: string): RegExp => new RegExp(`(<!-- ${name}: [^>]* -->\n)([\\s\\S]*?)(<!-- /${name} -->)`);

test('the table of tools says what the preset serves (UPDATE=1 writes it anew)', async () => {
  const registry = new Registry({ plugins: await loadPreset() });
  const isOn = (endpoint: string, name: string): string => (registry.find(endpoint, name) ? '●' : '');
  const rows = (registry.list(builtInEndpoints.all) ?? []).map(
    ({ name, tool }) =>
      `| \`${name}\` | ${tool.description} | ${isOn(builtInEndpoints.default, name)} | ${isOn(builtInEndpoints.deepsearch, name)} |`,
  );
  const table = ['| tool | what it is for | `/.api/mcp` | `…/deepsearch` |', '|---|---|:-:|:-:|', ...rows, ''].join(
    '\n',
  );
  if (process.env['UPDATE'] === '1') writeFileSync(readmePath, readme.replace(section('tools'), `$1${table}$3`));
  else expect(section('tools').exec(readme)?.[2]).toBe(table);
});

test('the tool of "Write a tool in five minutes" runs as it stands there', () => {
  const [, path, code] = /`(plugins\/hello\.ts)`[^`]*```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  const [, config] = /```yaml\n(plugins:\n  \.\/plugins\/hello[\s\S]*?)```/.exec(readme) ?? [];
  const [, args, output] =
    /```console\n\$ npm run -s sextant -- (tool count_lines [^\n]*)\n([\s\S]*?)\n```/.exec(readme) ?? [];
  if (!path || !code || !config || !args || !output) throw new Error('the README has no example of this form any more');
  const folder = mkdtempSync(join(tmpdir(), 'sextant-readme-'));
  try {
    execFileSync('git', ['init', '--quiet', join(folder, 'shop')]);
    writeFileSync(join(folder, 'shop', 'README.md'), 'one\ntwo\nthree\n');
    const commit = ['-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '--quiet', '-m', 'first'];
    for (const command of [['add', '.'], commit]) execFileSync('git', ['-C', join(folder, 'shop'), ...command]);
    mkdirSync(join(folder, 'plugins'));
    writeFileSync(join(folder, path), code);
    const configPath = join(folder, 'sextant.config.yaml');
    writeFileSync(configPath, `repositories: [{ path: shop }]\n${config}`);
    expect(runSextant([...args.split(' '), '--config', configPath])).toBe(output);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
