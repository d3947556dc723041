import assert from 'node:assert/strict';
import { isSextantError } from '@sextant/core';
import type { HostAccount, HostMessage, HostRepository, RepositorySource } from '../hosts/repository-source.ts';
import { sshHostOf } from '../hosts/ssh-login.ts';
import type { SignInIdentity } from '../people/identities.ts';

/** A host with at least two repositories, and one person who may not read them all. */
export interface SourceFixture {
  /** As the configuration opens it, with a token that is good for everything. */
  readonly source: RepositorySource;
  /** The same host, with a token that it does not know. */
  readonly withWrongToken: { readonly source: RepositorySource; readonly token: string };
  /** Paths of all repositories. */
  readonly paths: readonly string[];
  readonly person: {
    readonly identity: SignInIdentity;
    readonly email: string;
    /** Paths of what they may read. */
    readonly readable: readonly string[];
  };
  /** A message that the host signed, of a push to a repository with this id. */
  pushTo(repositoryId: string): HostMessage;
}

export interface SourceConformanceCase {
  /** A sentence about behaviour. */
  readonly name: string;
  run(fixture: SourceFixture): Promise<void>;
}

const { signal } = new AbortController();

/** What every `RepositorySource` must do; run each case as a test of its own. */
export const sourceConformance: readonly SourceConformanceCase[] = [
  { name: 'lists every repository once, with what is needed to clone it', run: listing },
  { name: 'lists what changed at a moment or after it', run: changed },
  { name: 'finds the account of someone who signed in, and of a verified address', run: accounts },
  { name: 'says what an account may read, no more and no less', run: reading },
  { name: 'refuses a wrong token, and does not repeat it', run: wrongToken },
  { name: 'believes only what its host signed', run: messages },
  { name: 'stops when the signal aborts', run: aborting },
];

async function listing({ source, paths }: SourceFixture): Promise<void> {
  const listed = await collect(source.list(signal));
  assert.deepEqual(listed.map(({ path }) => path).toSorted(), [...paths].toSorted());
  assert.equal(new Set(listed.map(({ id }) => id)).size, listed.length);
  if (source.sshHosts) assert.ok(listed.some(({ sshURL }) => sshURL !== undefined));
  for (const { cloneURL, sshURL, changed: at } of listed) {
    if (sshURL !== undefined) assert.ok(source.sshHosts?.includes(sshHostOf(sshURL) ?? ''), sshURL);
    const { origin, username, password } = new URL(cloneURL);
    assert.ok(source.cloneOrigins.includes(origin), cloneURL);
    assert.equal(username + password, '');
    assert.equal(new Date(at).toISOString(), at);
  }
}

async function changed({ source }: SourceFixture): Promise<void> {
  const listed = await collect(source.list(signal));
  const since =
    listed
      .map((each) => each.changed)
      .toSorted()
      .at(-1) ?? '';
  const ids = (await collect(source.listChanged(since, signal))).map(({ id }) => id);
  for (const { id, changed: at } of listed) if (at >= since) assert.ok(ids.includes(id));
  const first = new Date(0).toISOString();
  assert.equal((await collect(source.listChanged(first, signal))).length, listed.length);
}

async function accounts({ source, person }: SourceFixture): Promise<void> {
  const account = await source.account(person.identity, signal);
  assert.ok(account);
  assert.deepEqual(await source.accountOfEmail(person.email, signal), account);
  const elsewhere = { ...person.identity, issuer: 'https://elsewhere.example' };
  assert.equal(await source.account(elsewhere, signal), undefined);
  assert.equal(await source.account({ ...person.identity, subject: '999999999' }, signal), undefined);
  assert.equal(await source.accountOfEmail('nobody@elsewhere.example', signal), undefined);
}

async function reading({ source, person }: SourceFixture): Promise<void> {
  const listed = await collect(source.list(signal));
  const account = await source.account(person.identity, signal);
  assert.ok(account);
  const { whole, ids } = await source.readable(account, signal);
  const readable = listed.filter(({ id, visibility }) => whole.includes(visibility) || ids.includes(id));
  assert.deepEqual(readable.map(({ path }) => path).toSorted(), [...person.readable].toSorted());
  // A login that was given to another is not the account that it was.
  const another: HostAccount = { ...account, login: `${account.login}-of-before` };
  assert.deepEqual(await source.readable(another, signal), { whole: [], ids: [] });
}

async function wrongToken({ withWrongToken: { source, token } }: SourceFixture): Promise<void> {
  const isTold = (error: unknown): boolean => {
    assert.ok(isSextantError(error));
    assert.ok(error.code === 'unauthenticated' || error.code === 'forbidden', error.code);
    assert.ok(!String(error.stack).includes(token) && !error.message.includes(token));
    return true;
  };
  await assert.rejects(source.check(signal), isTold);
  await assert.rejects(collect(source.list(signal)), isTold);
}

async function messages({ source, pushTo }: SourceFixture): Promise<void> {
  const message = pushTo('42');
  assert.deepEqual(source.readMessage(message), { kind: 'pushed', repositoryId: '42' });
  assert.equal(source.readMessage({ ...message, headers: new Headers() }), undefined);
  const changedBody = new TextEncoder().encode(`${new TextDecoder().decode(message.body)} `);
  assert.equal(source.readMessage({ ...message, body: changedBody }), undefined);
}

async function aborting({ source, person }: SourceFixture): Promise<void> {
  const ended = AbortSignal.abort(new Error('enough'));
  await assert.rejects(collect(source.list(ended)), /enough/);
  await assert.rejects(source.account(person.identity, ended), /enough/);
}

async function collect(pages: AsyncIterable<readonly HostRepository[]>): Promise<HostRepository[]> {
  const all: HostRepository[] = [];
  for await (const page of pages) all.push(...page);
  return all;
}
