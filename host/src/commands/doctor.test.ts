import { execFileSync } from 'node:child_process';
import { chmodSync, globSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer as createHTTPServer } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Diagnosis } from '@sextant/core';
import { RepositoryBuilder } from '@sextant/contracts/testing';
import { describe, expect, test } from 'vitest';
import { run } from '../testing/run-sextant.ts';
import type { Ran } from '../testing/run-sextant.ts';
import { scratch } from '../testing/scratch.ts';
import type { Scratch } from '../testing/scratch.ts';

const doctor = ({ folder }: Scratch, ...args: readonly string[]): Promise<Ran> =>
  run(['doctor', '--config', 'sextant.config.json', ...args], { cwd: folder });

async function found(place: Scratch): Promise<Map<string, Diagnosis>> {
  const list: Diagnosis[] = JSON.parse((await doctor(place, '--json')).stdout);
  return new Map(list.map((each) => [each.what, each]));
}

const write = (place: Scratch, config: object): Promise<string> =>
  place.write('sextant.config.json', JSON.stringify({ port: 0, ...config }));

test('says that a machine is fine, and exits 0', async () => {
  await using place = await scratch();
  await write(place, {});
  const { code, stdout, stderr } = await doctor(place);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^fine {6}git: git version \d/m);
  expect(stdout).toMatch(/^fine {6}data folder: .*\.sextant is made at the first start$/m);
  expect(stdout).not.toMatch(/^(doubtful|wrong)/m);
});

test('says what is wrong, and exits 1: a port in use, a damaged database, a provider that is gone', async () => {
  await using place = await scratch();
  const stranger = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(stranger, 'listening');
  const address = stranger.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  await write(place, { port, plugins: { 'auth-oidc': { issuer: `http://127.0.0.1:${port}`, clientId: 'x' } } });
  mkdirSync(place.path('.sextant'));
  chmodSync(place.path('.sextant'), 0o755);
  writeFileSync(place.path('.sextant/sextant.db'), 'no database at all, whatever its name says. '.repeat(100));
  expect((await doctor(place)).code).toBe(1);
  const all = await found(place);
  stranger.close();
  expect(all.get('address')).toMatchObject({ state: 'wrong', text: expect.stringContaining(`port ${port}`) });
  expect(all.get('database')).toMatchObject({ state: 'wrong', text: expect.stringContaining('sextant.db') });
  expect(all.get('data folder')).toMatchObject({ state: 'doubtful', text: expect.stringContaining('mode 755') });
  expect(all.get('sign-in provider')).toMatchObject({
    state: 'wrong',
    text: expect.stringContaining('nobody can sign in with it'),
  });
});

test('says of each code host whether it answers, whose the token is, and whether the clocks agree', async () => {
  await using place = await scratch();
  const forge = createHTTPServer((request, response) => {
    const isKnown = request.headers.authorization?.includes('good') === true;
    response.writeHead(isKnown ? 200 : 401, { date: 'Thu, 01 Jan 2026 00:00:00 GMT' });
    response.end(JSON.stringify(isKnown ? { id: 1, login: 'sextant-bot', is_admin: false } : { message: 'no' }));
  }).listen(0, '127.0.0.1');
  await once(forge, 'listening');
  const address = forge.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const tokens = { one: 'good-token-of-the-forge', two: 'bad-token-of-the-forge' };
  await write(place, {
    sources: Object.entries(tokens).map(([name, token]) => ({ type: 'gitea', name, url, token })),
  });
  const all = await found(place);
  forge.close();
  expect(all.get('source one')).toMatchObject({
    state: 'fine',
    text: expect.stringContaining('the token is that of sextant-bot'),
  });
  expect(all.get('source two')).toMatchObject({ state: 'wrong', text: expect.stringMatching(/token|401/) });
  expect(all.get('clock')).toMatchObject({ state: 'doubtful', text: expect.stringContaining('set both (NTP)') });
});

test('says when a certificate ends, and whom it is for', async () => {
  await using place = await scratch();
  const make = (days: string): Buffer =>
    execFileSync(
      'openssl',
      `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days ${days} -subj /CN=code.example.com
       -addext subjectAltName=DNS:code.example.com -keyout server.key -out server.pem`.split(/\s+/),
      { cwd: place.folder, stdio: 'pipe' },
    );
  const tls = { certificate: 'server.pem', key: 'server.key' };
  make('90');
  await write(place, { tls, externalURL: 'https://other.example.com' });
  expect((await found(place)).get('certificate')).toMatchObject({
    state: 'doubtful',
    text: 'server.pem is not for other.example.com; clients refuse it',
  });
  await write(place, { tls, externalURL: 'https://code.example.com' });
  expect((await found(place)).get('certificate')?.state).toBe('fine');
  make('3');
  expect((await found(place)).get('certificate')).toMatchObject({
    state: 'doubtful',
    text: expect.stringMatching(/^server\.pem ends on \d{4}-\d\d-\d\d; renew it$/),
  });
});

test('says of each index what of it is damaged, what is of another version, and what comes of it', async () => {
  await using place = await scratch();
  await write(place, { repositories: [{ path: '.' }] });
  const git = ['-c', 'user.name=A', '-c', 'user.email=a@example.com'];
  await place.write('a.ts', 'export const answer = 42;\n');
  for (const args of [
    ['init', '--quiet'],
    ['add', 'a.ts'],
    [...git, 'commit', '--quiet', '--message', 'first'],
  ])
    execFileSync('git', args, { cwd: place.folder });
  await run(['index', '--config', 'sextant.config.json'], { cwd: place.folder });
  expect((await found(place)).get('search-index')).toMatchObject({
    state: 'fine',
    text: expect.stringMatching(/^0\.0 MB, can be used as it is$/),
  });
  const index = place.path('.sextant/search-index');
  const files = readdirSync(index, { recursive: true, encoding: 'utf8' });
  const text = files.find((name) => name.endsWith('.text')) ?? '';
  writeFileSync(join(index, text), readFileSync(join(index, text), 'utf8').replace('42', '43'));
  await place.write(`.sextant/history-index/${'0'.repeat(32)}/manifest.json`, '{"version":"0.1"}');
  mkdirSync(place.path('.sextant/symbols'));
  const old = new DatabaseSync(place.path('.sextant/symbols/symbols.db'));
  old.exec('pragma user_version = 99');
  old.close();
  const all = await found(place);
  const shard = text.replace(/text$/, 'shard');
  expect(all.get('search-index')).toMatchObject({
    state: 'doubtful',
    text: expect.stringMatching(
      `are damaged, and are built again: .*search-index/${shard}: the checksum of block 0 of the content is wrong`,
    ),
  });
  expect(all.get('history-index')?.text).toMatch(
    /of another version.*it has version 0\.1, this program reads version /,
  );
  expect(all.get('symbols')?.text).toMatch(/of another version.*they have version 99, this program reads version /);
});

test('reads every object of the repositories and clones where it is thorough, and says which are lost and what to do', async () => {
  await using place = await scratch();
  const [whole, lossy] = ['whole', 'lossy'].map((name) => {
    const builder = new RepositoryBuilder({ folder: place.path(`repos/${name}.git`), isBare: true });
    builder.commit({ files: { 'a.ts': 'export const answer = 42;\n', 'b.ts': 'export const other = 7;\n' } });
    return builder;
  });
  const fileOf = (builder: RepositoryBuilder | undefined, file: string): [string, string] => {
    const object = builder?.git('rev-parse', `HEAD:${file}`) ?? '';
    return [object, join(builder?.folder ?? '', 'objects', object.slice(0, 2), object.slice(2))];
  };
  const clone = place.path(`.sextant/clones/${'a'.repeat(32)}`);
  execFileSync('git', ['clone', '--quiet', '--bare', `file://${whole?.folder}`, clone]);
  await write(place, { repositories: [{ path: 'repos' }] });
  const thorough = (): Promise<Ran> => doctor(place, '--thorough');
  expect(await thorough()).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^fine {6}repositories: every object of 3 can be read$/m),
  });
  const [lost, lostFile] = fileOf(lossy, 'a.ts');
  rmSync(lostFile);
  execFileSync('mkfifo', [join(whole?.folder ?? '', 'refs', 'heads', 'pipe')]);
  for (const pack of globSync('objects/pack/*.pack', { cwd: clone })) {
    chmodSync(join(clone, pack), 0o600);
    const bytes = readFileSync(join(clone, pack));
    writeFileSync(join(clone, pack), bytes.fill(0xa5, bytes.length >> 1));
  }
  const { code, stdout } = await thorough();
  expect(code).toBe(1);
  expect(stdout).toMatch(
    new RegExp(
      `^wrong {5}repository lossy: objects are missing or damaged: missing blob ${lost}.* fresh clone in the place of`,
      'm',
    ),
  );
  expect(stdout).toMatch(
    /^wrong {5}repository file:.*whole\.git: objects are .*damaged: .* Stop the server and remove .*clones\/a{32}: it is cloned again$/m,
  );
  expect(stdout).toMatch(/^wrong {5}repository whole: its objects could not be read: .*pipe/m);
  expect(stdout).not.toMatch(/^fine +repositories:/m);
  expect((await doctor(place)).stdout).not.toMatch(/repositor(y|ies)/);
});

test('says what is wrong with a configuration that cannot be read', async () => {
  await using place = await scratch();
  await write(place, { logLevl: 'info' });
  expect((await found(place)).get('configuration')).toMatchObject({
    state: 'wrong',
    text: expect.stringContaining('logLevel'),
  });
});

describe('sextant upgrade --check', () => {
  const upgrade = (place: Scratch): Promise<Ran> =>
    run(['upgrade', '--check', '--config', 'sextant.config.json'], { cwd: place.folder });

  test('tells what a start would change, and leaves the data as they are', async () => {
    await using place = await scratch();
    await write(place, {});
    expect((await upgrade(place)).stdout).toMatch(/^fine {6}data: .* is made at the start$/m);
    await run(['user', 'list', '--config', 'sextant.config.json'], { cwd: place.folder });
    expect((await upgrade(place)).stdout).toMatch(/^fine {6}tables: tables were brought up to date: store usage; /m);
    await place.write('.sextant/symbols/symbols.db', '');
    await place.write(`.sextant/history-index/${'0'.repeat(32)}/manifest.json`, '{"version":"0.1"}');
    const { code, stdout } = await upgrade(place);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^doubtful {2}history-index: .* of another version, and are built again: about 1 minute/m);
    expect(stdout).toMatch(/^fine {6}configuration: every setting is known/m);
    expect(readFileSync(place.path('.sextant/symbols/symbols.db'), 'utf8')).toBe('');
  });

  test('exits 1 with data of a newer version, and with settings that are gone', async () => {
    await using place = await scratch();
    await write(place, {});
    await run(['user', 'list', '--config', 'sextant.config.json'], { cwd: place.folder });
    const newer = new DatabaseSync(place.path('.sextant/sextant.db'));
    newer.exec(`insert into directory_migrations (name, timestamp) values ('9999', '2030')`);
    newer.close();
    const { code, stdout } = await upgrade(place);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^wrong {5}tables: .*"directory" of .*\.sextant\/sextant\.db .*a newer version of the program/m,
    );
    await write(place, { logLevl: 'info' });
    expect((await upgrade(place)).stdout).toMatch(/^wrong {5}configuration: .*logLevl/m);
  });
});
