import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { expect, test } from 'vitest';
import { startSextant } from '../support/processes.ts';

const deploy = fileURLToPath(new URL('../../docs/deploy', import.meta.url));
const text = (file: string): string => readFileSync(join(deploy, file), 'utf8');

test('the alert rules are valid, and fire for what they are for', () => {
  const options = { cwd: deploy, encoding: 'utf8' } as const;
  expect(execFileSync('promtool', ['check', 'rules', 'alerts.yaml'], options)).toContain('SUCCESS');
  expect(execFileSync('promtool', ['test', 'rules', 'alerts.test.yaml'], options)).toContain('SUCCESS');
});

test('the metrics of a server are valid, and have every name that alerts and dashboard use', async () => {
  using folder = temporaryFolder();
  const shop = new RepositoryBuilder({ folder: join(folder.path, 'shop.git'), isBare: true });
  shop.commit({ files: { 'a.ts': 'export {};\n' } });
  const server = await startSextant(['--repos', folder.path, '--data', join(folder.path, 'data')]);
  try {
    const answer = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${server.token}` } });
    const metrics = await answer.text();
    const checked = spawnSync('promtool', ['check', 'metrics'], { input: metrics, encoding: 'utf8' });
    expect(checked.stderr.split('\n').filter((line) => line.includes('error'))).toEqual([]);
    const used =
      `${text('alerts.yaml')}${text('dashboard.json')}`.match(/\b(sextant|process|nodejs)_[a-z0-9_]+\b/g) ?? [];
    const known = new Set(
      [...metrics.matchAll(/^# TYPE (\S+) (\S+)/gm)].flatMap(([, name = '', type]) =>
        type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
      ),
    );
    expect(used.length).toBeGreaterThan(15);
    expect(used.filter((name) => !known.has(name))).toEqual([]);
  } finally {
    await server.stop();
  }
});

test('the unit is valid, and leaves the service little to do harm with', () => {
  using folder = temporaryFolder();
  const unit = join(folder.path, 'sextant.service');
  writeFileSync(unit, text('sextant.service').replace('/opt/sextant/bin/sextant', '/bin/true'));
  const verified = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' });
  expect(verified).toMatchObject({ status: 0, stderr: '' });
  // Exposure of 2.0 of 10.0 at most.
  const args = ['security', '--offline=true', '--threshold=20', unit];
  expect(spawnSync('systemd-analyze', args, { encoding: 'utf8' }).status).toBe(0);
});

test('the compose file keeps its container from writing anything but its data', () => {
  const compose = text('compose.yaml');
  for (const line of ['user: "10001:10001"', 'read_only: true', 'cap_drop: [ALL]', 'sextant-data:/data'])
    expect(compose).toContain(line);
  expect(compose.match(/- \/srv\/git:.*/g)).toEqual([expect.stringMatching(/:ro$/)]);
});

test('the hosts of the other compose file are those of nginx, write nothing but their data, and share none', () => {
  const compose = text('many-hosts.yaml');
  for (const line of ['user: "10001:10001"', 'read_only: true', 'cap_drop: [ALL]']) expect(compose).toContain(line);
  const served = [...text('nginx.conf').matchAll(/server (\w+):7080/g)].map(([, name]) => name);
  const hosts = [...compose.matchAll(/^ {2}(\w+):\n {4}<<: \*host\n {4}volumes: (.*)$/gm)];
  expect(hosts.map(([, name]) => name)).toEqual(served);
  for (const [, , volumes] of hosts) expect(volumes).toContain('"/srv/git:/srv/git:ro"');
  expect(new Set(hosts.map(([, , volumes]) => volumes?.match(/\w+:\/data"/)?.[0])).size).toBe(served.length);
});
