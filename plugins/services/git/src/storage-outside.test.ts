import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { callerOf } from '@sextant/core/testing';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startGit } from './testing/start-git.ts';
import type { StartedGit } from './testing/start-git.ts';

const { signal } = new AbortController();
const root = callerOf('root', { isSiteAdmin: true });
const outside = /outside the folder that is (?:served|scanned)/;

/** A hidden repository, and in the folder `open` that of somebody who wants to read it, beside a healthy one. */
interface Scene {
  readonly folder: string;
  /** The git folder of the hidden repository; its branch is called `covert`. */
  readonly hidden: string;
  /** A commit of the hidden repository, whose file `key` says `classified`. */
  readonly secret: string;
  /** The git folder of the attacker. */
  readonly attacker: string;
}

function scene(): Scene {
  const temporary = temporaryFolder();
  onTestFinished(() => temporary[Symbol.dispose]());
  const folder = temporary.path;
  const build = (path: string, branch = 'main'): RepositoryBuilder =>
    new RepositoryBuilder({ folder: join(folder, path), isBare: true, branch });
  const hidden = build('hidden.git', 'covert');
  const secret = hidden.commit({ files: { key: 'classified\n' } });
  for (const [name, packs] of Object.entries({ loose: false, packed: true })) {
    const copy = join(hidden.folder, name);
    hidden.git('init', '--bare', '--quiet', '--initial-branch=covert', copy);
    hidden.git(
      '-C',
      copy,
      '-c',
      `fetch.unpackLimit=${packs ? 1 : 999}`,
      'fetch',
      '--quiet',
      hidden.folder,
      '+refs/heads/*:refs/heads/*',
    );
    if (packs) hidden.git('-C', copy, 'pack-refs', '--all');
  }
  hidden.git('repack', '-adq');
  const attacker = build('open/attacker.git');
  attacker.commit({ files: { a: 'own\n' } });
  // Nothing but what comes into them later tells that they are used.
  for (const name of looseFolders(hidden.folder))
    mkdirSync(join(attacker.folder, 'objects', name), { recursive: true });
  build('open/healthy.git').commit({ files: { a: 'healthy\n' } });
  return { folder, hidden: hidden.folder, secret, attacker: attacker.folder };
}

const looseFolders = (hidden: string): string[] =>
  readdirSync(join(hidden, 'loose', 'objects')).filter((each) => each.length === 2);

const repositories = [{ path: 'open' }, { path: 'hidden.git', access: {} }];

/** What anyone may learn through a repository. */
async function shownOf(git: StartedGit, name: string, secret: string): Promise<string> {
  const shown: string[] = [
    JSON.stringify((await git.repositories.list(callerOf('alice'))).filter((each) => each.name === name)),
  ];
  const keep = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      (value) => shown.push(JSON.stringify(value)),
      // Errors repeat what was asked for.
      (error: unknown) => shown.push(String(error).replaceAll(secret, '(asked)').replaceAll('"covert"', '(asked)')),
    );
  const repository = await git.open(name).catch(() => undefined);
  if (repository) {
    await keep(repository.listRefs({ types: ['branch', 'tag'], limit: 99 }, signal));
    for (const revision of [undefined, 'covert', secret]) await keep(repository.resolve(revision, signal));
    await keep(repository.readText(secret, 'key', signal));
  }
  const stored = await git.store.find(name);
  if (stored) {
    await keep(stored.refs(signal));
    await keep(stored.head(signal));
    await keep(stored.object(secret, { maxBytes: 1 << 20, signal }));
    await keep(stored.graph({ include: [secret] }, { signal }));
    for (const wants of ['commits', 'hunks'] as const)
      await keep(textOf(stored.patches({ commits: [secret] }, { wants, signal })));
  }
  return shown.join('\n');
}

async function textOf(output: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const chunk of output) text += Buffer.from(chunk).toString();
  return text;
}

async function expectNothingSecret(git: StartedGit, name: string, { secret, hidden }: Scene): Promise<void> {
  const shown = await shownOf(git, name, secret);
  for (const word of ['classified', 'covert', secret, hidden]) expect(shown, name).not.toContain(word);
}

async function expectHealthy(git: StartedGit): Promise<void> {
  const healthy = await git.open('healthy');
  expect((await healthy.readText(await healthy.resolve(undefined, signal), 'a', signal)).text).toBe('healthy\n');
}

const replaceByLink = (path: string, target: string): void => {
  rmSync(path, { recursive: true, force: true });
  symlinkSync(target, path);
};

/** Makes the attacker's repository a work tree; answers the place of its git folder, which is free. */
function workTreeOf({ attacker }: Scene): string {
  rmSync(attacker, { recursive: true });
  mkdirSync(attacker);
  return join(attacker, '.git');
}

/** Each makes the attacker's repository read the hidden one. */
const attacks: Record<string, (scene: Scene) => void> = {
  alternates: ({ attacker, hidden }) =>
    writeFileSync(join(attacker, 'objects', 'info', 'alternates'), `# x\n${hidden}/objects\n`),
  'relative alternates': ({ attacker }) =>
    writeFileSync(join(attacker, 'objects', 'info', 'alternates'), '../../../hidden.git/objects\n'),
  'alternates of alternates': ({ folder, attacker, hidden }) => {
    const between = join(folder, 'open', 'between.git');
    cpSync(join(folder, 'open', 'healthy.git'), between, { recursive: true });
    writeFileSync(join(attacker, 'objects', 'info', 'alternates'), `${between}/objects\n`);
    writeFileSync(join(between, 'objects', 'info', 'alternates'), `${hidden}/objects\n`);
  },
  'alternates that are a link': ({ folder, attacker, hidden }) => {
    writeFileSync(join(folder, 'list'), `${hidden}/objects\n`);
    symlinkSync(join(folder, 'list'), join(attacker, 'objects', 'info', 'alternates'));
  },
  'a linked objects folder': ({ attacker, hidden }) =>
    replaceByLink(join(attacker, 'objects'), join(hidden, 'objects')),
  'a linked pack folder': ({ attacker, hidden }) =>
    replaceByLink(join(attacker, 'objects', 'pack'), join(hidden, 'objects', 'pack')),
  'linked pack files': ({ attacker, hidden }) => {
    for (const name of readdirSync(join(hidden, 'objects', 'pack')))
      symlinkSync(join(hidden, 'objects', 'pack', name), join(attacker, 'objects', 'pack', name));
  },
  'linked loose objects': ({ attacker, hidden }) => {
    for (const name of looseFolders(hidden))
      for (const object of readdirSync(join(hidden, 'loose', 'objects', name)))
        symlinkSync(join(hidden, 'loose', 'objects', name, object), join(attacker, 'objects', name, object));
  },
  'linked folders of loose objects': ({ attacker, hidden, secret }) => {
    const loose = join(hidden, 'loose', 'objects');
    const names = looseFolders(hidden);
    expect(names).toContain(secret.slice(0, 2));
    for (const name of names) replaceByLink(join(attacker, 'objects', name), join(loose, name));
  },
  'linked refs': ({ attacker, hidden }) => replaceByLink(join(attacker, 'refs'), join(hidden, 'loose', 'refs')),
  'linked branches': ({ attacker, hidden }) =>
    replaceByLink(join(attacker, 'refs', 'heads'), join(hidden, 'refs', 'heads')),
  'a linked ref': ({ attacker, hidden }) =>
    symlinkSync(join(hidden, 'refs', 'heads', 'covert'), join(attacker, 'refs', 'heads', 'x')),
  'linked packed refs': ({ attacker, hidden }) =>
    replaceByLink(join(attacker, 'packed-refs'), join(hidden, 'packed', 'packed-refs')),
  'a linked HEAD': ({ attacker, hidden }) => replaceByLink(join(attacker, 'HEAD'), join(hidden, 'HEAD')),
  commondir: ({ attacker, hidden }) => writeFileSync(join(attacker, 'commondir'), `${hidden}\n`),
  'a .git file': (place) => writeFileSync(workTreeOf(place), `gitdir: ${place.hidden}\n`),
  'a linked .git folder': (place) => symlinkSync(place.hidden, workTreeOf(place)),
  'a link in place of the repository': ({ attacker, hidden }) => replaceByLink(attacker, hidden),
  'a linked work tree of it': (place) => {
    const own = workTreeOf(place);
    mkdirSync(own);
    writeFileSync(join(own, 'HEAD'), 'ref: refs/heads/covert\n');
    writeFileSync(join(own, 'commondir'), `${place.hidden}\n`);
  },
  'include.path and attributes of it': ({ attacker, hidden }) => {
    appendFileSync(join(attacker, 'config'), `[include]\npath = ${hidden}/config\n[core]\nworktree = ${hidden}\n`);
    writeFileSync(join(attacker, 'objects', 'info', 'alternates'), `"${hidden}/objects"\n`);
  },
};

describe('a repository cannot read another', () => {
  /** One attacker for each attack, under the name of that. */
  function attackers(place: Scene): Map<string, () => void> {
    const all = Object.values(attacks).map((attack, at): [string, () => void] => {
      const attacker = join(place.folder, 'open', `attacker-${at}.git`);
      cpSync(place.attacker, attacker, { recursive: true });
      return [`attacker-${at}`, () => attack({ ...place, attacker })];
    });
    return new Map(all);
  }

  it('found when the server starts', async () => {
    const place = scene();
    const all = attackers(place);
    for (const attack of all.values()) attack();
    await using git = await startGit(place.folder, { repositories });
    await git.ready();
    for (const name of all.keys()) await expectNothingSecret(git, name, place);
    await expectHealthy(git);
  });

  it('that becomes hostile while it is served', async () => {
    const place = scene();
    const all = attackers(place);
    await using git = await startGit(place.folder, { repositories });
    await git.ready();
    for (const name of all.keys()) expect(await shownOf(git, name, place.secret)).toContain('refs/heads/main');
    for (const [name, attack] of all) {
      attack();
      await expectNothingSecret(git, name, place);
    }
    await git.fetch('', root);
    for (const name of all.keys()) await expectNothingSecret(git, name, place);
    await expectHealthy(git);
  });
});

describe('a repository whose data is outside', () => {
  it('is named with its reason, which no caller sees, and is served again when that is gone', async () => {
    const place = scene();
    const alternates = join(place.attacker, 'objects', 'info', 'alternates');
    attacks['alternates']?.(place);
    await using git = await startGit(place.folder, { repositories });
    await git.ready();
    await expect.poll(() => git.status().isReady).toBe(true);
    expect(git.status().failures).toEqual([
      { name: 'attacker', reason: expect.stringMatching(outside), since: expect.any(String) },
    ]);
    expect(git.status().failures?.[0]?.reason).toContain(place.hidden);
    const attacker = await git.open('attacker');
    await expect(attacker.resolve(undefined, signal)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.not.stringContaining('hidden'),
    });
    rmSync(alternates);
    expect(await attacker.resolve(undefined, signal)).toHaveLength(40);
    expect(git.status().failures).toBeUndefined();
  });

  it('is served where the operator allows that path', async () => {
    const place = scene();
    attacks['alternates']?.(place);
    await using git = await startGit(place.folder, { repositories, sharedObjectStores: ['hidden.git'] });
    expect((await (await git.open('attacker')).readText(place.secret, 'key', signal)).text).toBe('classified\n');
  });

  it('does not reach the clones of the server, though their folder is below the one that is served', async () => {
    const place = scene();
    const clone = join(place.folder, 'data', 'clones', 'c');
    mkdirSync(join(place.folder, 'data', 'clones'), { recursive: true });
    renameSync(place.hidden, clone);
    writeFileSync(join(place.attacker, 'objects', 'info', 'alternates'), `${clone}/objects\n`);
    await using git = await startGit(place.folder, { repositories: [{ path: '.', name: 'all' }] });
    expect((await git.repositories.list(callerOf('alice'))).map(({ name }) => name)).toEqual([
      'all/open/attacker',
      'all/open/healthy',
    ]);
    await expect((await git.open('all/open/attacker')).readText(place.secret, 'key', signal)).rejects.toMatchObject({
      code: 'unavailable',
    });
  });

  it('may be one that another entry of the configuration keeps from others', async () => {
    const place = scene();
    renameSync(place.hidden, join(place.folder, 'open', 'hidden.git'));
    await using git = await startGit(place.folder, {
      repositories: [{ path: 'open' }, { path: 'open/hidden.git', name: 'kept', access: {} }],
    });
    expect((await git.repositories.list(callerOf('alice'))).map(({ name }) => name)).toEqual(['attacker', 'healthy']);
    writeFileSync(join(place.attacker, 'objects', 'info', 'alternates'), '../../hidden.git/objects\n');
    await expect((await git.open('attacker')).readText(place.secret, 'key', signal)).rejects.toMatchObject({
      code: 'unavailable',
    });
  });
});

describe('data that is elsewhere for good reason is read', () => {
  it('in linked work trees, submodules, borrowers and through links inside the folder that is served', async () => {
    const { folder } = scene();
    const main = new RepositoryBuilder({ folder: join(folder, 'open', 'main') });
    const commit = main.commit({ files: { a: 'main\n' } });
    main.git('worktree', 'add', '--quiet', '-b', 'side', join(folder, 'open', 'linked'));
    main.git('clone', '--quiet', '--shared', '--bare', main.folder, join(folder, 'open', 'borrower.git'));
    const moved = join(folder, 'open', 'borrower.git', 'refs-elsewhere');
    renameSync(join(folder, 'open', 'borrower.git', 'refs'), moved);
    symlinkSync(basename(moved), join(folder, 'open', 'borrower.git', 'refs'));
    const superproject = new RepositoryBuilder({ folder: join(folder, 'open', 'super') });
    superproject.commit();
    superproject.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', main.folder, 'sub');
    await using git = await startGit(folder, { repositories });
    for (const name of ['main', 'linked', 'borrower'])
      expect((await (await git.open(name)).readText(commit, 'a', signal)).text).toBe('main\n');
    expect(git.status().failures).toBeUndefined();
    // Named by the operator, each is its own boundary: the data says that the work tree is its own.
    await using named = await startGit(folder, {
      repositories: [{ path: 'open/linked' }, { path: 'open/super/sub' }],
    });
    for (const name of ['linked', 'sub'])
      expect((await (await named.open(name)).readText(commit, 'a', signal)).text).toBe('main\n');
  });

  it('where the path that is served is itself a link', async () => {
    const { folder } = scene();
    symlinkSync('open', join(folder, 'through'));
    await using git = await startGit(folder, {
      repositories: [{ path: 'through/healthy.git' }, { path: 'through', name: 'all' }],
    });
    for (const name of ['healthy', 'all/healthy'])
      expect(await (await git.open(name)).resolve(undefined, signal)).toHaveLength(40);
  });
});
