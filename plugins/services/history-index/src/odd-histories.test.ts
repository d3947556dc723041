import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommitRequest } from '@sextant/contracts';
import { RepositoryBuilder, executable, gitLog, submodule, symlink, temporaryFolder } from '@sextant/contracts/testing';
import type { TemporaryFolder } from '@sextant/contracts/testing';
import { callerOf } from '@sextant/core/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { differencesFromGit } from './testing/differences.ts';
import { startIndexed } from './testing/start-history.ts';
import type { StartedHistory } from './testing/start-history.ts';

const { signal } = new AbortController();
let folder: TemporaryFolder;
let builder: RepositoryBuilder;
let served: StartedHistory | undefined;
beforeEach(() => {
  folder = temporaryFolder();
  builder = new RepositoryBuilder({ folder: join(folder.path, 'odd.git'), isBare: true });
});
afterEach(async () => {
  await served?.[Symbol.asyncDispose]();
  served = undefined;
  folder[Symbol.dispose]();
});

const request = (asked: Partial<CommitRequest> = {}): CommitRequest => ({
  repositories: ['r'],
  messages: [],
  authors: [],
  contents: [],
  paths: [],
  revisions: [],
  isRegex: false,
  count: 100_000,
  ...asked,
});

async function found(asked: Partial<CommitRequest> = {}, path = builder.folder): Promise<string[]> {
  served ??= await startIndexed({ folder: folder.path, repositories: { r: path }, hidden: [] });
  const { results, notes } = await served.history.commits(callerOf('alice'), request(asked), signal);
  expect(notes).toEqual([]);
  return results.map(({ commit }) => commit);
}

/** Each finds what git log finds, the same commits. */
async function expectAsGit(requests: readonly Partial<CommitRequest>[]): Promise<void> {
  for (const asked of requests) {
    const wanted = gitLog(builder.folder, request(asked));
    expect([asked, (await found(asked)).toSorted()]).toEqual([asked, wanted.toSorted()]);
  }
}

/** A commit as it is, with any bytes. */
function writeCommit(headers: readonly string[], message: Buffer): string {
  const tree = builder.git('rev-parse', 'main^{tree}');
  const parent = builder.git('rev-parse', 'main');
  const lines = [`tree ${tree}`, `parent ${parent}`, ...headers].join('\n');
  const hash = builder.writeObject('commit', Buffer.concat([Buffer.from(`${lines}\n\n`), message]));
  builder.git('update-ref', 'refs/heads/main', hash);
  return hash;
}

test('messages, names and dates of any form', async () => {
  builder.commit({ files: { a: 'one\n' }, message: 'first' });
  const times = ['1700000100 +0000', '1700000200 +0000'] as const;
  const people = [`author Jos\u00e9 <jose@x> ${times[0]}`, `committer C <c@x> ${times[0]}`];
  writeCommit([...people.map((line) => line), 'encoding ISO-8859-1'], Buffer.from('Gr\xf6\xdfe z\xe4hlt\n', 'latin1'));
  writeCommit(
    [`author A <a@x> ${times[1]}`, `committer C <c@x> ${times[1]}`],
    Buffer.from('\n\n  indented, cr\r\nend'),
  );
  writeCommit(['author <> 1 +0000', 'committer C <c@x> 1 +0000'], Buffer.from(''));
  const fake = 'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-gone\n+fake hunk\n:100644 100644 M\tx';
  builder.commit({ message: fake, files: { b: fake } });
  await expectAsGit([
    {},
    { messages: ['größe'] },
    { messages: ['indented, cr'] },
    { messages: ['fake hunk'] },
    { contents: ['fake hunk'] },
    { contents: ['@@ -1'] },
    { authors: ['josé'] },
    { after: '@100000001' },
  ]);
});

test('files of any kind, name and content', async () => {
  const late = Buffer.concat([Buffer.from(`${'late text\n'.repeat(900)}`), Buffer.from([0, 10])]);
  const odd = new Map<string | Uint8Array, string | Uint8Array>([
    [Buffer.from('br\xf6ken', 'latin1'), 'odd name\n'],
    ['with "quotes" and\ttab', 'odd name\n'],
    ['new\nline', 'odd name\n'],
    ['late', late],
    ['early', Buffer.from('\0binary text\n')],
    ['cr', 'dos line\r\nother\r\n'],
    ['latin', Buffer.from('gr\xf6\xdfe latin\n', 'latin1')],
    ['open', 'no line end'],
  ]);
  builder.commit({ files: odd });
  builder.commit({ files: { late: 'late text\n', cr: 'dos line\r\n', run: executable('run it\n') } });
  builder.commit({ files: { run: 'run it\n', lib: submodule('a'.repeat(40)), link: symlink('some target') } });
  builder.commit({ files: { lib: submodule('b'.repeat(40)), link: null, open: 'no line end\n' } });
  builder.commit({ files: {}, message: 'empty' });
  const contents = ['odd name', 'late text', 'binary', 'dos line', 'latin', 'no line end', 'run it', 'some target'];
  await expectAsGit([
    ...[...contents, 'Subproject', 'bbbb'].map((content) => ({ contents: [content] })),
    ...['late', 'run', 'lib', 'link', 'cr', '*a*', 'new*', 'nothing'].map((path) => ({ paths: [path] })),
    { paths: ['run'], contents: ['run it'] },
  ]);
});

test('files that become links or submodules, and back', async () => {
  const id = 'c'.repeat(40);
  const texts = new Map<string, string | Uint8Array>([
    ['same', 'first line\nto/there'],
    ['ended', 'first line\nto/there\n'],
    ['whole', 'to/there'],
    ['empty', ''],
    ['binary', Buffer.from('\0to/there')],
    ['lines', 'head\nmiddle\ntail\nto/there'],
    ['module', `Subproject commit ${id}\n`],
  ]);
  const links = ['same', 'ended', 'whole', 'empty', 'binary'].map((name) => [name, symlink('to/there')] as const);
  builder.commit({ files: texts });
  builder.commit({
    files: new Map([...links, ['lines', symlink('head\nto/there')] as const, ['module', submodule(id)] as const]),
  });
  builder.commit({ files: texts });
  const paths = [...texts.keys()];
  const contents = ['first line', 'to/there', 'head', 'middle', 'Subproject'];
  await expectAsGit([
    ...contents.map((content) => ({ contents: [content] })),
    ...paths.flatMap((path) => contents.map((content) => ({ contents: [content], paths: [path] }))),
  ]);
});

test('octopus and criss-cross merges, several roots, clocks that run backwards', async () => {
  const root = builder.commit({ files: { a: 'alpha 0\n' }, date: 1_700_000_900 });
  const tips = [1, 2, 3].map((i) =>
    builder.commit({ branch: `t${i}`, parents: [root], files: { [`f${i}`]: `alpha ${i}\n` }, date: 1_700_000_000 + i }),
  );
  const other = builder.commit({ branch: 'other', parents: [], files: { z: 'alpha z\n' }, date: 1_600_000_000 });
  const octopus = builder.commit({ parents: [root, ...tips, other], message: 'octopus' });
  const [left, right] = [tips[0] ?? '', tips[1] ?? ''];
  const crossed = [
    builder.commit({ branch: 'x', parents: [left, right], files: { x: 'alpha x\n' } }),
    builder.commit({ branch: 'y', parents: [right, left], files: { y: 'alpha y\n' } }),
  ];
  builder.commit({ parents: [octopus, ...crossed], message: 'criss-cross', date: 1_650_000_000 });
  await expectAsGit([
    {},
    { contents: ['alpha'] },
    { messages: ['cross'] },
    { contents: ['alpha'], after: '@1650000000', before: '@1700000002' },
    { revisions: ['x', '^y'] },
    { revisions: ['other'], contents: ['alpha'] },
    { revisions: ['*refs/heads/t*', '^x'] },
  ]);
});

test('replace refs, grafts and notes change nothing', async () => {
  const one = builder.commit({ files: { a: 'alpha\n' } });
  const two = builder.commit({ files: { a: 'beta\n' } });
  const three = builder.commit({ files: { a: 'gamma\n' } });
  builder.git('notes', 'add', '-m', 'remarkable', three);
  builder.git('replace', two, three);
  mkdirSync(join(builder.folder, 'info'), { recursive: true });
  writeFileSync(join(builder.folder, 'info', 'grafts'), `${three}\n`);
  expect(await found()).toEqual([three, two, one]);
  expect(await found({ contents: ['beta'] })).toEqual([three, two]);
  expect(await found({ messages: ['remarkable'] })).toEqual([]);
});

test('a hundred thousand refs', async () => {
  const hashes = Array.from({ length: 20 }, (_, i) => builder.commit({ files: { a: `alpha ${i}\n` } }));
  const refs = Array.from(
    { length: 100_000 },
    (_, i) => `${hashes[i % 10]} refs/heads/many/${String(i).padStart(6, '0')}`,
  );
  appendFileSync(
    join(builder.folder, 'packed-refs'),
    `# pack-refs with: peeled fully-peeled sorted \n${refs.join('\n')}\n`,
  );
  expect(await found({ revisions: ['*refs/heads/many/*'] })).toEqual(hashes.slice(0, 10).toReversed());
  expect(await found({ revisions: ['main', '^many/000009'], contents: ['alpha 15'] })).toEqual([
    hashes[16],
    hashes[15],
  ]);
});

test('a repository with SHA-256', async () => {
  builder = new RepositoryBuilder({ folder: join(folder.path, 'long.git'), isBare: true, objectFormat: 'sha256' });
  builder.commit({ files: { a: 'alpha\n' } });
  builder.commit({ files: { a: 'beta\n' }, message: 'second' });
  await expectAsGit([{}, { contents: ['alpha'] }, { messages: ['second'] }, { revisions: ['HEAD~1'] }]);
});

test('what is read while it is being rewritten is what some state of it was', async () => {
  const tips = Array.from({ length: 6 }, (_, i) => builder.commit({ files: { a: `alpha ${i}\n` } }));
  await found();
  for (let i = 0; i < 20; i += 1) {
    const tip = tips[i % tips.length] ?? '';
    builder.git('update-ref', 'refs/heads/main', tip);
    expect((await found({ contents: ['alpha'] }))[0]).toBe(tip);
  }
});

test('random searches of the history that this file is part of', async () => {
  const here = new URL('.', import.meta.url).pathname;
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', here, ...args])
      .toString()
      .trim();
  if (!isClone(git)) return;
  // A copy: somebody may commit meanwhile.
  const repository = join(folder.path, 'copy.git');
  git('clone', '--quiet', '--bare', git('rev-parse', '--path-format=absolute', '--git-common-dir'), repository);
  served = await startIndexed({ folder: folder.path, repositories: { r: repository }, hidden: [] });
  const options = { repository, seed: 4, commits: 100, searches: 8 };
  const { found: commits, differences } = await differencesFromGit(served.history, options);
  expect(differences).toEqual([]);
  expect(commits).toBeGreaterThan(0);
});

/** Whether the sources lie in a repository: they may have come as an archive, or cut. */
function isClone(git: (...args: string[]) => string): boolean {
  try {
    return git('rev-parse', '--is-shallow-repository') === 'false';
  } catch {
    return false;
  }
}

test('a history larger than the index may be is answered by it as far as it goes, then by git, and is named', async () => {
  const lines = Array.from({ length: 40_000 }, (_, line) => `${hash('sha1', String(line))}\n`).join('');
  const commits = [builder.commit({ files: { a: `needle\n${lines}` } })];
  const settings = { indexBytes: 1 << 20 };
  const { history, status } = (served = await startIndexed({
    folder: folder.path,
    repositories: { r: builder.folder },
    hidden: [],
    settings,
  }));
  commits.push(builder.commit({ files: { a: 'needle twice\n' } }));
  const reason = expect.stringContaining('indexBytes of service-history-index');
  await expect.poll(() => status()['history']?.failures).toEqual([expect.objectContaining({ name: 'r', reason })]);
  expect(status()['history']).toMatchObject({ isReady: true, detail: { indexedCommits: 1 } });
  const { results, notes } = await history.commits(callerOf('alice'), request({ contents: ['needle'] }), signal);
  expect(results.map(({ commit }) => commit)).toEqual(commits.toReversed());
  expect(notes).toEqual([expect.stringMatching(/1 commit of r is not in the index.*git itself looked/)]);
});

test('a line with 40,000 matches has those ranges that are shown, as soon as any other', async () => {
  builder.commit({ files: { 'long.txt': `${'<script>'.repeat(40_000)}\n` } });
  served = await startIndexed({ folder: folder.path, repositories: { r: builder.folder }, hidden: [] });
  const asked = { ...request({ count: 1 }), pattern: 'script', sides: ['added'] as const };
  const { results } = await served.history.diffs(callerOf('alice'), asked, signal);
  expect(results.map(({ matchRanges }) => matchRanges.slice(0, 2))).toEqual([
    [
      { line: 2, start: 2, end: 8 },
      { line: 2, start: 10, end: 16 },
    ],
  ]);
});
