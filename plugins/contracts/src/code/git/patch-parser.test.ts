import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { RepositoryBuilder, executable, submodule, symlink, temporaryFolder } from '../../testing/index.ts';
import type { TemporaryFolder } from '../../testing/index.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commitFormat } from './commit-record.ts';
import { PatchParser } from './patch-parser.ts';

let folder: TemporaryFolder;
let repository: RepositoryBuilder;
let output: Buffer;
beforeAll(() => {
  folder = temporaryFolder();
  repository = hostileRepository(join(folder.path, 'odd'));
  const args = [
    'diff-tree',
    '--stdin',
    '--root',
    '--always',
    '-r',
    '--raw',
    '--no-abbrev',
    '--full-index',
    '--patch',
    '-U3',
  ];
  const input = `${repository.git('rev-list', 'main')}\n`;
  output = execFileSync('git', ['-C', repository.folder, ...args, '--no-renames', commitFormat], { input });
});
afterAll(() => folder[Symbol.dispose]());

/** Contents and names that look like what git prints around them. */
function hostileRepository(path: string): RepositoryBuilder {
  const builder = new RepositoryBuilder({ folder: path });
  const names = ['a b', 'tab\there', 'new\nline', 'quote"d', 'b/a', 'größe', 'diff --git a/x b/x'];
  const lookalike =
    'diff --git a/x b/x\n@@ -1 +1 @@\n--- a\n+++ b\n:100644 100644 a b M\tx\n\\ No newline at end of file\n';
  for (const name of names) builder.commit({ files: { [name]: lookalike } });
  builder.commit({
    message: 'diff --git a/x b/x\n\n@@ -1 +1 @@\n:100644',
    files: { 'a b': `${lookalike}more\n\n\nend` },
  });
  builder.commit({ files: { 'a b': symlink('target'), run: executable('#!\n'), lib: submodule('a'.repeat(40)) } });
  builder.commit({ files: { 'a b': 'text again', run: '#!\n', lib: null, binary: Buffer.from('a\0b') } });
  builder.commit({ files: { late: `${'x'.repeat(9000)}\0late\n`, '--- a': '+++ b\n', empty: '' } });
  const side = builder.commit({ branch: 'side', parents: [], files: { side: '1\n' } });
  builder.commit({ parents: [builder.git('rev-parse', 'main'), side], message: 'merge' });
  return builder;
}

function parsed(chunkBytes: number): string[] {
  const events: string[] = [];
  const parser = new PatchParser({
    commit: ({ hash, message }) => events.push(`commit ${hash} ${JSON.stringify(message)}`),
    path: (path) => events.push(`path ${JSON.stringify(path)}`),
    hunk: (path, header) => events.push(`hunk ${JSON.stringify(path)} ${header}`),
    line: (line) => events.push(`line ${line.toString('latin1')}`),
  });
  for (let at = 0; at < output.length; at += chunkBytes) parser.push(output.subarray(at, at + chunkBytes));
  return events;
}

test('what is read does not depend on the pieces in which it arrives', () => {
  const whole = parsed(output.length);
  for (const bytes of [1, 2, 7, 4093]) expect(parsed(bytes)).toEqual(whole);
});

test('every commit has its message, and the paths that git names', () => {
  const events = parsed(output.length);
  for (const hash of repository.git('rev-list', 'main').split('\n')) {
    const message = repository.git('log', '-1', '--format=%B', hash).replace(/\n+$/, '');
    const from = events.indexOf(`commit ${hash} ${JSON.stringify(message)}`);
    expect(from, hash).toBeGreaterThanOrEqual(0);
    const end = events.findIndex((event, index) => index > from && event.startsWith('commit '));
    const paths = events.slice(from + 1, end < 0 ? undefined : end).filter((event) => event.startsWith('path '));
    const names = repository.git('diff-tree', '--root', '-r', '-z', '--name-only', '--no-commit-id', hash).split('\0');
    expect(paths).toEqual(names.filter((name) => name !== '').map((name) => `path ${JSON.stringify(name)}`));
  }
});

test('added and removed lines are as many as git counts, in the files that git names', () => {
  const changed = new Map<string, number>();
  let path = '';
  for (const event of parsed(4093)) {
    if (event.startsWith('hunk ')) path = /^hunk ("(?:[^"\\]|\\.)*")/.exec(event)?.[1] ?? '';
    if (/^line [+-]/.test(event)) changed.set(path, (changed.get(path) ?? 0) + 1);
  }
  const counted = new Map<string, number>();
  const numbers = repository
    .git('log', '--format=', '--full-history', '--numstat', '-z', '--no-renames', 'main', '--', '.', ':!a b')
    .split('\0');
  for (const [, added, removed, name] of numbers.map((line) => /^\n?(\d+)\t(\d+)\t([^]+)$/.exec(line) ?? [])) {
    const count = Number(added) + Number(removed);
    if (name !== undefined && count > 0)
      counted.set(JSON.stringify(name), (counted.get(JSON.stringify(name)) ?? 0) + count);
  }
  changed.delete('"a b"');
  expect(changed).toEqual(counted);
});

test('a very long line is read in part, and what follows it in whole', () => {
  const lines: string[] = [];
  const sink = { commit: () => undefined, path: () => undefined, hunk: () => undefined };
  const parser = new PatchParser({
    ...sink,
    line: (line) => lines.push(`${line.length} ${line.toString('latin1', 0, 4)}`),
  });
  parser.push(Buffer.from('diff --git a/a b/a\n@@ -0,0 +1,2 @@\n+'));
  for (let i = 0; i < 40; i += 1) parser.push(Buffer.alloc(100_000, 'x'));
  parser.push(Buffer.from('\n+end\n'));
  expect(lines).toEqual([`${1 << 20} +xxx`, '4 +end']);
});
