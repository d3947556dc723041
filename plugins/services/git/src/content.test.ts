import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { describe, expect, it } from 'vitest';
import { startGit } from './testing/start-git.ts';

const { signal } = new AbortController();
const hashOf = (commit: string): string =>
  createHash('sha1').update(`commit ${commit.length}\0${commit}`).digest('hex');

const hash = '4d'.repeat(32);
const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${hash}\nsize 12345\n`;

describe('text', () => {
  it('is decoded by byte order mark, else as UTF-8, else as Latin-1; NUL makes it binary; a pointer of Git LFS is none', async () => {
    using folder = temporaryFolder();
    const builder = new RepositoryBuilder({ folder: join(folder.path, 'r') });
    const utf16 = Buffer.from('\u{feff}é\n', 'utf16le');
    const commit = builder.commit({
      files: {
        plain: 'é\r\nb\rc\n\nend',
        marked: Buffer.from('\u{feff}é\n'),
        little: utf16,
        big: Buffer.from(utf16).swap16(),
        latin: Buffer.from('caf\xe9 \x80\n', 'latin1'),
        late: Buffer.concat([Buffer.alloc(100_000, 'a'), Buffer.from([0])]),
        utf32: Buffer.from([0xff, 0xfe, 0, 0, 65, 0, 0, 0]),
        pointer,
        windows: pointer.replaceAll('\n', '\r\n'),
        quoted: `A pointer:\n${pointer}`,
        invalid: 'version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 5\n',
      },
    });
    await using git = await startGit(folder.path, { repositories: [{ path: 'r' }] });
    const r = await git.open('r');
    const read = (path: string) => r.readText(commit, path, signal);
    expect(await read('plain')).toEqual({
      text: 'é\r\nb\rc\n\nend',
      bytes: 12,
      encoding: 'utf-8',
      lineStarts: [0, 3, 7, 8],
    });
    expect(await read('marked')).toEqual({ text: 'é\n', bytes: 6, encoding: 'utf-8', lineStarts: [0] });
    expect(await read('little')).toEqual({ text: 'é\n', bytes: 6, encoding: 'utf-16le', lineStarts: [0] });
    expect(await read('big')).toMatchObject({ text: 'é\n', encoding: 'utf-16be' });
    expect(await read('latin')).toMatchObject({ text: 'café \u{80}\n', encoding: 'latin1' });
    for (const path of ['pointer', 'windows'])
      await expect(read(path)).rejects.toMatchObject({
        code: 'invalid_argument',
        message: `"${path}" is a Git LFS pointer to 12345 bytes (sha256 ${hash}) that are not in the repository; git lfs pull in a clone brings them`,
      });
    expect(Buffer.from(await r.readBytes(commit, 'pointer', signal)).toString()).toBe(pointer);
    expect((await read('quoted')).text).toContain(hash);
    expect((await read('invalid')).text).toContain('git-lfs');
    await expect(read('late')).rejects.toMatchObject({
      code: 'invalid_argument',
      message: '"late" is a binary file of 100001 bytes; only text can be read',
    });
    await expect(read('utf32')).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('above 64 MiB is too large, and is not even read', async () => {
    using folder = temporaryFolder();
    const builder = new RepositoryBuilder({ folder: join(folder.path, 'r') });
    const commit = builder.commit({ files: { huge: Buffer.alloc(64 * 1024 * 1024 + 1, 'a'), small: 'x' } });
    await using git = await startGit(folder.path, { repositories: [{ path: 'r' }] });
    const r = await git.open('r');
    await expect(r.readText(commit, 'huge', signal)).rejects.toMatchObject({
      code: 'too_large',
      message: expect.stringContaining('67108865 bytes'),
    });
    expect((await r.readText(commit, 'small', signal)).text).toBe('x');
  });
});

describe('paths', () => {
  it('whose bytes are no UTF-8 are shown with U+FFFD and reached by what is shown', async () => {
    using folder = temporaryFolder();
    const builder = new RepositoryBuilder({ folder: join(folder.path, 'r') });
    const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
    const files = new Map([
      [bytes('d\xe9/caf\xe9'), '1\n'],
      [bytes('d\xe9/caf\xe8'), '2\n'],
      [bytes('e\xe9'), 'shown\n'],
      [Buffer.from('e\u{fffd}'), 'exact\n'],
      [Buffer.from('new\nline'), '3\n'],
      [bytes('plain'), '4\n'],
    ]);
    const first = builder.commit({ files });
    const head = builder.commit({ files: new Map([[bytes('d\xe9/caf\xe9'), 'changed\n']]) });
    await using git = await startGit(folder.path, { repositories: [{ path: 'r' }] });
    const r = await git.open('r');
    const shown = (await r.listTree({ commit: first, path: '', limit: 9 }, signal)).entries;
    expect(shown).toEqual([
      { path: 'd\u{fffd}', kind: 'directory' },
      { path: 'e\u{fffd}', kind: 'file' },
      { path: 'e\u{fffd}', kind: 'file' },
      { path: 'new\nline', kind: 'file' },
      { path: 'plain', kind: 'file' },
    ]);
    expect((await r.readText(first, 'e\u{fffd}', signal)).text).toBe('exact\n');
    expect((await r.readText(first, 'new\nline', signal)).text).toBe('3\n');
    expect((await r.readText(first, 'd\u{fffd}/caf\u{fffd}', signal)).text).toBe('2\n');
    const { files: changed } = await r.compare({ base: first, head, offset: 0, limit: 9 }, signal);
    expect(changed).toMatchObject([
      { path: 'd\u{fffd}/caf\u{fffd}', isTruncated: false, hunks: [{ lines: ['-1', '+changed'] }] },
    ]);
  });

  it('that are wrong are refused with the nearest right one', async () => {
    using folder = temporaryFolder();
    const builder = new RepositoryBuilder({ folder: join(folder.path, 'r') });
    const commit = builder.commit({ files: { 'src/main.ts': 'x\n', 'a.b': '', 'a-b': '', 'a/b': '', a0: '' } });
    await using git = await startGit(folder.path, { repositories: [{ path: 'r' }] });
    const r = await git.open('r');
    const refusal = (path: string): Promise<string> =>
      r.readText(commit, path, signal).then(String, (error: Error) => error.message.replace(/^r: /, ''));
    expect(await refusal('src/mian.ts')).toBe(
      `"src/mian.ts" not found at commit ${commit.slice(0, 12)}. Did you mean "src/main.ts"?`,
    );
    expect(await refusal('scr/main.ts')).toBe(`"scr" not found at commit ${commit.slice(0, 12)}. Did you mean "src"?`);
    expect(await refusal('zzzzzzzzzz')).toMatch(
      /; list_files shows what is there, and keyword_search finds it elsewhere: type:path zzzzzzzzzz$/,
    );
    expect(await refusal('src')).toBe('"src" is a directory; list_files shows what is in it');
    expect(await refusal('src/main.ts/x')).toBe('"src/main.ts" is a file, not a directory; read_file reads it');
    expect(await refusal('../x')).toMatch(/must not contain "." or ".." segments; give it from the root/);
    for (const path of ['a.b', 'a-b', 'a/b', 'a0']) expect((await r.readText(commit, path, signal)).text).toBe('');
  });

  it('are found among 100,000 in one directory', async () => {
    using folder = temporaryFolder();
    const builder = new RepositoryBuilder({ folder: join(folder.path, 'r') });
    const blob = builder.writeObject('blob', Buffer.from('x\n'));
    const names = Array.from({ length: 100_000 }, (_, index) => `file${String(index).padStart(6, '0')}`);
    const entries = names.flatMap((name) => [Buffer.from(`100644 ${name}\0`), Buffer.from(blob, 'hex')]);
    const commit = builder.git('commit-tree', '-m', 'x', builder.writeObject('tree', Buffer.concat(entries)));
    await using git = await startGit(folder.path, { repositories: [{ path: 'r' }] });
    const r = await git.open('r');
    const { entries: listed, isTruncated } = await r.listTree({ commit, path: '', limit: 1000 }, signal);
    expect([listed.length, listed[999]?.path, isTruncated]).toEqual([1000, 'file000999', true]);
    for (const name of ['file000000', 'file054321', 'file099999'])
      expect((await r.readText(commit, name, signal)).text).toBe('x\n');
    await expect(r.readText(commit, 'file100000', signal)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('refs', () => {
  it('are listed though there are 100,000, with peeled tags and without tags of files', async () => {
    using folder = temporaryFolder();
    const builder = new RepositoryBuilder({ folder: join(folder.path, 'r'), isBare: true });
    const first = builder.commit();
    const second = builder.commit();
    builder.git('tag', 'of-a-tree', `${first}^{tree}`);
    builder.tag({ name: 'once', commit: first, message: 'once' });
    builder.tag({ name: 'twice', commit: 'once', message: 'twice' });
    const lines = Array.from(
      { length: 100_000 },
      (_, index) => `${first} refs/tags/t${String(index).padStart(6, '0')}\n`,
    );
    writeFileSync(
      join(builder.folder, 'packed-refs'),
      `# pack-refs with: peeled fully-peeled sorted \n${lines.join('')}`,
    );
    await using git = await startGit(folder.path, { repositories: [{ path: 'r' }] });
    const r = await git.open('r');
    const { refs, hasMore } = await r.listRefs({ types: ['branch', 'tag'], limit: 5 }, signal);
    expect(refs.map(({ name, commit, date }) => [name, commit, date])).toEqual([
      ['main', second, '2023-11-14T22:14:20Z'],
      ['once', first, '2023-11-14T22:15:20Z'],
      ['twice', first, '2023-11-14T22:15:20Z'],
      ['t000000', first, '2023-11-14T22:13:20Z'],
      ['t000001', first, '2023-11-14T22:13:20Z'],
    ]);
    expect(hasMore).toBe(true);
    expect((await r.listRefs({ types: ['tag'], limit: 200_000 }, signal)).refs).toHaveLength(100_002);
    expect(await r.resolve('t054321', signal)).toBe(first);
    await expect(r.resolve('of-a-tree', signal)).rejects.toMatchObject({
      code: 'invalid_argument',
      message: 'revision "of-a-tree" names a tree, not a commit',
    });
    await expect(r.resolve('twicf', signal)).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('list_refs'),
    });
  });
});

describe('hashes', () => {
  it('may be abbreviated while they are unambiguous, and must be of commits', async () => {
    using folder = temporaryFolder();
    const builder = new RepositoryBuilder({ folder: join(folder.path, 'r'), isBare: true });
    const commits: string[] = [];
    const twins = (): string | undefined =>
      commits.slice(0, -1).find((hash) => hash.slice(0, 4) === commits.at(-1)?.slice(0, 4));
    const tree = builder.writeObject('tree', Buffer.alloc(0));
    const textOf = (index: number): string =>
      `tree ${tree}\nauthor A <a> ${index} +0000\ncommitter A <a> ${index} +0000\n\nx\n`;
    while (twins() === undefined) commits.push(hashOf(textOf(commits.length)));
    const [one = '', two = ''] = [twins(), commits.at(-1)];
    for (const hash of [one, two]) builder.writeObject('commit', Buffer.from(textOf(commits.indexOf(hash))));
    const blob = builder.writeObject('blob', Buffer.from('x'));
    await using git = await startGit(folder.path, { repositories: [{ path: 'r' }] });
    const r = await git.open('r');
    await expect(r.resolve(one.slice(0, 4), signal)).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('ambiguous'),
    });
    expect(await r.resolve(one.slice(0, 12).toUpperCase(), signal)).toBe(one);
    expect(await r.resolve(`v1.0-3-g${two.slice(0, 12)}`, signal)).toBe(two);
    for (const hash of [tree, blob.slice(0, 10)])
      await expect(r.resolve(hash, signal)).rejects.toMatchObject({
        code: 'invalid_argument',
        message: expect.stringContaining('not a commit'),
      });
    await expect(r.resolve(one.slice(0, 3), signal)).rejects.toMatchObject({ code: 'not_found' });
  });
});
