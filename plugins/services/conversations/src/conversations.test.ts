import { temporaryFolder } from '@sextant/contracts/testing';
import { SextantError } from '@sextant/core';
import type { Caller } from '@sextant/core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sourceIn, startConversations } from './testing/start-conversations.ts';
import type { Answering, StartedConversations } from './testing/start-conversations.ts';

const echo: Answering = async ({ question }) => ({
  title: 't',
  markdown: `Answer to ${question}`,
  sources: [sourceIn('shop')],
});

/** Never answers by itself, but stops when told. */
const forever: Answering = (_question, { signal }) =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

interface Place {
  readonly path: string;
  start(answer?: Answering, options?: { config?: object; more?: object }): Promise<StartedConversations>;
}

function place(): Place {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  return { path: folder.path, start: (answer = echo, options) => startConversations(folder.path, answer, options) };
}

const unknown = { code: 'not_found', message: expect.stringContaining('there is no such conversation') };

describe('a question', () => {
  test('is answered in the background, and the answer is kept', async () => {
    await using started = await place().start();
    const asked = await started.ask('  Where is the cart?\nIn detail.  ');
    expect(asked).toMatchObject({ title: 'Where is the cart?', isOwn: true, isShared: false });
    expect(['queued', 'processing']).toContain(asked.status);
    expect(asked.identifier).toMatch(/^[\w-]{32}$/);
    expect(asked.link).toBe(`http://localhost/deepsearch/${asked.identifier}`);
    const { status, turns } = await started.finished(asked);
    expect(status).toBe('completed');
    expect(turns).toEqual([
      {
        question: 'Where is the cart?\nIn detail.',
        status: 'completed',
        askedAt: expect.stringMatching(/Z$/),
        answer: 'Answer to Where is the cart?\nIn detail.',
        sources: [sourceIn('shop')],
        withheldSources: 0,
        seconds: expect.any(Number),
        steps: [],
      },
    ]);
  });

  test('may be about some repositories, and so are those that follow up; only the owner sees which', async () => {
    const scopes: unknown[] = [];
    await using started = await place().start((question, work) => {
      scopes.push(question.scope);
      return echo(question, work);
    });
    const { conversations, alice, bob } = started;
    const scope = ['shop', 'bank', 'shop'];
    const asked = await started.finished(await conversations.ask({ caller: alice }, 'q', { scope }));
    expect(asked.scope).toEqual(['shop', 'bank']);
    await started.finished(await conversations.followUp({ caller: alice }, { ...asked, question: 'more' }));
    await started.finished(await started.ask('of all'));
    expect(scopes).toEqual([['shop', 'bank'], ['shop', 'bank'], undefined]);
    await conversations.share(alice, asked.identifier, true);
    expect((await conversations.read(bob, asked.identifier)).scope).toBeUndefined();
    const many = Array.from({ length: 51 }, (_, index) => `r${index}`);
    await expect(conversations.ask({ caller: alice }, 'q', { scope: many })).rejects.toMatchObject({
      code: 'invalid_argument',
    });
  });

  test('is rated by its owner; administrators see how many, and what was wrong with the bad ones', async () => {
    await using started = await place().start();
    const { conversations, alice, bob } = started;
    const { identifier } = await started.finished(await started.ask('one'));
    const rate = (caller: Caller, more: object) =>
      conversations.rate(caller, { identifier, number: 1, rating: 'bad', ...more });
    await expect(rate(bob, {})).rejects.toMatchObject(unknown);
    await expect(rate(alice, { number: 2 })).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(rate(alice, { comment: 'x'.repeat(2001) })).rejects.toMatchObject({ code: 'invalid_argument' });
    expect((await rate(alice, { rating: 'good' })).turns[0]?.rating).toBe('good');
    await rate(alice, { comment: ' The wrong cart. ' });
    await conversations.share(alice, identifier, true);
    expect((await conversations.read(bob, identifier)).turns[0]?.rating).toBeUndefined();
    await expect(conversations.feedback(alice, { complaints: 9 })).rejects.toMatchObject({ code: 'forbidden' });
    const admin = { ...alice, user: { ...alice.user, isSiteAdmin: true } };
    expect(await conversations.feedback(admin, { complaints: 9 })).toEqual({
      counts: [{ good: 0, bad: 1 }],
      complaints: [
        { question: 'one', comment: 'The wrong cart.', askedAt: expect.stringMatching(/Z$/), userId: alice.user.id },
      ],
    });
  });

  test('is worked on with the rights of its user, and what was done can be watched', async () => {
    const { promise: seen, resolve } = Promise.withResolvers<void>();
    await using started = await place().start(async (question, work) => {
      expect(work.caller.user.name).toBe('alice');
      work.reportProgress({ progress: 1, message: 'looked around' });
      work.reportProgress({ progress: 1, draft: 'Shop has' });
      await seen;
      return echo(question, work);
    });
    const { conversations, alice, bob } = started;
    let now = await started.ask('q');
    while (now.turns[0]?.steps.length !== 1) now = await conversations.next(alice, now, AbortSignal.timeout(5000));
    expect(now.turns[0]).toMatchObject({ status: 'processing', steps: ['looked around'], draft: 'Shop has' });
    await conversations.share(alice, now.identifier, true);
    expect((await conversations.read(bob, now.identifier)).turns[0]).not.toHaveProperty('draft');
    resolve();
    const { status, turns } = await started.finished(now);
    expect([status, turns[0]?.draft]).toEqual(['completed', undefined]);
  });

  test.each([
    [
      'a reason that may be told',
      new SextantError('not_found', 'repository "x" not found'),
      /^repository "x" not found$/,
    ],
    ['a bug', new TypeError('secret detail'), /^internal error [0-9a-f-]{36}; the server's log/],
  ])('that fails with %s says so', async (_how, error, shown) => {
    await using started = await place().start(() => Promise.reject(error));
    const { status, turns } = await started.finished(await started.ask('q'));
    expect([status, turns[0]?.answer]).toEqual(['failed', undefined]);
    expect(turns[0]?.error).toMatch(shown);
  });

  test.each(['', ' \n\t ', 'x'.repeat(20_001)])('must not be empty or too long', async (question) => {
    await using started = await place().start();
    await expect(started.ask(question)).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  test('that follows up knows what was said before', async () => {
    const histories: unknown[] = [];
    await using started = await place().start((question, work) => {
      histories.push(question.history);
      return echo(question, work);
    });
    const first = await started.finished(await started.ask('one'));
    const { identifier } = first;
    const second = await started.conversations.followUp({ caller: started.alice }, { identifier, question: 'two' });
    expect((await started.finished(second)).turns.map(({ answer }) => answer)).toEqual([
      'Answer to one',
      'Answer to two',
    ]);
    expect(histories).toEqual([[], [{ question: 'one', answer: 'Answer to one' }]]);
  });

  test('is refused while another of the conversation is not finished', async () => {
    await using started = await place().start(forever);
    const { identifier } = await started.ask('one');
    await expect(
      started.conversations.followUp({ caller: started.alice }, { identifier, question: 'two' }),
    ).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('question 1 of this conversation') });
  });

  test('is refused beyond the number that one user may have waiting', async () => {
    await using started = await place().start(forever, { config: { waitingPerUser: 2 } });
    await started.ask('one');
    await started.ask('two');
    await expect(started.ask('three')).rejects.toMatchObject({ code: 'exhausted' });
    await started.conversations.ask({ caller: started.bob }, 'of someone else');
  });

  test('costs a credit, and is refused when there is none', async () => {
    const day = (offset: number): string => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
    const credits = [{ name: 'b', allocation: 1, startDate: day(-1), endDate: day(1) }];
    await using started = await place().start(echo, { more: { credits } });
    let spent = 0;
    const call = { caller: started.alice, noteCredits: (count: number) => void (spent += count) };
    await started.conversations.ask(call, 'one');
    expect(spent).toBe(1);
    await expect(started.conversations.ask(call, 'two')).rejects.toMatchObject({ code: 'exhausted' });
    expect((await started.conversations.list(started.alice, { limit: 10 })).conversations).toHaveLength(1);
  });

  test('that is canceled stops, and stays canceled', async () => {
    const begun = Promise.withResolvers<void>();
    const stopped = Promise.withResolvers<void>();
    await using started = await place().start((question, work) => {
      work.signal.addEventListener('abort', () => stopped.resolve());
      begun.resolve();
      return forever(question, work);
    });
    const asked = await started.ask('q');
    await begun.promise;
    expect((await started.conversations.cancel(started.alice, asked.identifier)).status).toBe('canceled');
    await stopped.promise;
    expect((await started.finished(asked)).status).toBe('canceled');
  });
});

// Who may do what is looked at every few seconds.
describe.concurrent('rights that are taken away meanwhile', () => {
  test('end work that has them: it is begun again with those that are left', async () => {
    const roles: string[][] = [];
    await using started = await place().start((question, work) => {
      roles.push([...work.caller.roles]);
      return roles.length === 1 ? forever(question, work) : echo(question, work);
    });
    const { people, carol } = await started.join('carol', ['team']);
    const asked = await started.conversations.ask({ caller: carol }, 'q');
    await expect.poll(() => roles.length).toBe(1);
    await people.setRoles('carol', []);
    expect((await started.finished(asked, carol)).status).toBe('completed');
    expect(roles).toEqual([['User', 'team'], ['User']]);
  });

  test('end the work and the watching of who is disabled', async () => {
    await using started = await place().start(forever);
    const { people, carol } = await started.join('carol', []);
    const asked = await started.conversations.ask({ caller: carol }, 'q');
    await started.conversations.share(carol, asked.identifier, true);
    const seen = await started.conversations.read(carol, asked.identifier);
    await people.setDisabled('carol', true);
    await expect(started.conversations.next(carol, seen, AbortSignal.timeout(10_000))).rejects.toMatchObject({
      code: 'forbidden',
    });
    const { turns } = await started.finished(asked);
    expect(turns[0]?.error).toBe('the user who asked is disabled');
  });
});

// Each waits for seconds, until work is looked for again.
describe.concurrent('a question that cannot be answered at the moment', () => {
  const away = (seconds?: number): SextantError =>
    new SextantError('unavailable', 'shop is away', seconds === undefined ? {} : { retryAfterSeconds: seconds });

  test('is taken up again', async () => {
    let begun = 0;
    await using started = await place().start(async (question, work) => {
      begun += 1;
      if (begun < 3) throw away(0.01);
      return echo(question, work);
    });
    expect(await started.finished(await started.ask('q'))).toMatchObject({ status: 'completed' });
    expect(begun).toBe(3);
  });

  test('fails with the reason after three times, or at once where trying again is of no use', async () => {
    const reasons = { later: away(0.01), never: away() };
    const begun: string[] = [];
    await using started = await place().start(async ({ question }) => {
      begun.push(question);
      throw question === 'later' ? reasons.later : reasons.never;
    });
    for (const question of ['later', 'never'])
      expect(await started.finished(await started.ask(question))).toMatchObject({
        status: 'failed',
        turns: [{ error: 'shop is away' }],
      });
    expect(begun).toEqual(['later', 'later', 'later', 'never']);
  });
});

describe('a restart', () => {
  test('takes up what was in progress when the server stopped', async () => {
    const { start } = place();
    const first = await start(forever);
    const asked = await first.ask('q');
    await first.conversations.next(first.alice, asked, AbortSignal.timeout(5000));
    await first[Symbol.asyncDispose]();
    await using second = await start();
    expect(await second.finished(asked)).toMatchObject({ status: 'completed', turns: [{ answer: 'Answer to q' }] });
  });

  test('two processes on one database do not work on the same question', async () => {
    const { start } = place();
    let begun = 0;
    const slow: Answering = async (question, work) => {
      begun += 1;
      await new Promise((resolve) => setTimeout(resolve, 100));
      return echo(question, work);
    };
    await using one = await start(slow);
    await using two = await start(slow);
    const asked = [];
    for (const question of ['a', 'b', 'c', 'd']) asked.push(await one.ask(question));
    for (const each of asked) expect((await two.finished(each)).status).toBe('completed');
    expect(begun).toBe(4);
  });
});

describe('a reader', () => {
  const both: Answering = async () => ({
    title: 't',
    markdown: 'unused',
    sources: [sourceIn('shop'), sourceIn('secret')],
    parts: [
      { markdown: 'Shop has a cart.', sources: [sourceIn('shop')] },
      { markdown: 'Secret has a formula.', sources: [sourceIn('secret')] },
      { markdown: 'Both together.', sources: [sourceIn('shop'), sourceIn('secret')] },
    ],
  });

  test('of a shared conversation sees what they may read, and that there is more', async () => {
    await using started = await place().start(both);
    const { identifier } = await started.finished(await started.ask('q'));
    await started.conversations.share(started.alice, identifier, true);
    const forBob = await started.conversations.read(started.bob, `http://x/deepsearch/shared/${identifier}`);
    expect(forBob).toMatchObject({ isOwn: false, link: `http://localhost/deepsearch/shared/${identifier}` });
    expect(forBob.turns[0]).toMatchObject({
      answer:
        'Shop has a cart.\n\n> 1 source of this answer, and what it says about them, are in repositories that you may not read.',
      sources: [sourceIn('shop')],
      withheldSources: 1,
    });
    const forAlice = await started.conversations.read(started.alice, identifier);
    expect(forAlice.turns[0]).toMatchObject({
      answer: 'Shop has a cart.\n\nSecret has a formula.\n\nBoth together.',
      withheldSources: 0,
    });
  });

  test('sees nothing of an answer whose parts are not told apart when one source is withheld', async () => {
    await using started = await place().start(async () => ({
      title: 't',
      markdown: 'Secret has a formula.',
      sources: [sourceIn('shop'), sourceIn('secret')],
    }));
    const { identifier } = await started.finished(await started.ask('q'));
    await started.conversations.share(started.alice, identifier, true);
    const { turns } = await started.conversations.read(started.bob, identifier);
    expect(JSON.stringify(turns)).not.toMatch(/formula|secret/i);
  });

  test('who asked, and has lost rights since, sees no step that names what is hidden now', async () => {
    const { promise: seen, resolve } = Promise.withResolvers<void>();
    await using started = await place().start(async (question, work) => {
      work.reportProgress({ progress: 1, message: 'reading 2 files of secret' });
      await seen;
      return both(question, work);
    });
    let now = await started.ask('q');
    while (now.turns[0]?.steps.length !== 1)
      now = await started.conversations.next(started.alice, now, AbortSignal.timeout(5000));
    resolve();
    const { identifier, turns } = await started.finished(now);
    expect(turns[0]?.steps).toEqual(['reading 2 files of secret']);
    const { alice, bob } = started;
    const later = { ...bob, user: { ...bob.user, id: alice.user.id } };
    const forLater = await started.conversations.read(later, identifier);
    expect(forLater).toMatchObject({ isOwn: true, turns: [{ withheldSources: 1, steps: [] }] });
    expect(JSON.stringify(forLater)).not.toContain('secret');
  });

  test('who is not the owner sees neither an unshared conversation nor its steps, and changes nothing', async () => {
    await using started = await place().start();
    const { conversations, bob, alice } = started;
    const { identifier } = await started.finished(await started.ask('q'));
    await expect(conversations.read(bob, identifier)).rejects.toMatchObject(unknown);
    await conversations.share(alice, identifier, true);
    expect((await conversations.read(bob, identifier)).turns[0]?.steps).toEqual([]);
    for (const change of [
      () => conversations.cancel(bob, identifier),
      () => conversations.share(bob, identifier, false),
      () => conversations.resetToken(bob, identifier),
      () => conversations.remove(bob, identifier),
      () => conversations.followUp({ caller: bob }, { identifier, question: 'q' }),
    ])
      await expect(change()).rejects.toMatchObject(unknown);
    await conversations.share(alice, identifier, false);
    await expect(conversations.read(bob, identifier)).rejects.toMatchObject(unknown);
  });

  test('needs the new token after a reset', async () => {
    await using started = await place().start();
    const { identifier } = await started.finished(await started.ask('q'));
    const { identifier: fresh } = await started.conversations.resetToken(started.alice, identifier);
    await expect(started.conversations.read(started.alice, identifier)).rejects.toMatchObject(unknown);
    expect((await started.conversations.read(started.alice, fresh)).turns).toHaveLength(1);
  });
});

describe('an identifier', () => {
  test.each([
    '%',
    'https://h.example/deepsearch/%',
    'http://h.example:1/x/deepsearch/shared/%?a=1',
    'http://h/deepsearch/%.md',
  ])('is the read token or an address of the page: %s', async (form) => {
    await using started = await place().start();
    const { identifier } = await started.ask('q');
    const given = form.replace('%', identifier);
    expect((await started.conversations.read(started.alice, given)).identifier).toBe(identifier);
  });

  test.each([
    '',
    'x',
    '../etc/passwd',
    "' OR 1=1 --",
    'ftp://h/deepsearch/x',
    `${'a'.repeat(32)}`,
    'a'.repeat(100_000),
  ])('that names nothing is unknown, malformed or not', async (identifier) => {
    await using started = await place().start();
    await expect(started.conversations.read(started.alice, identifier)).rejects.toMatchObject(unknown);
  });
});

describe('the list', () => {
  test("has one's own conversations, newest first, page by page", async () => {
    await using started = await place().start();
    for (const question of ['a', 'b', 'c']) await started.finished(await started.ask(question));
    await started.conversations.ask({ caller: started.bob }, 'of bob');
    const page = await started.conversations.list(started.alice, { limit: 2 });
    expect(page.conversations.map(({ title, status }) => [title, status])).toEqual([
      ['c', 'completed'],
      ['b', 'completed'],
    ]);
    const after = page.endCursor ?? '';
    const rest = await started.conversations.list(started.alice, { limit: 2, after });
    expect(rest.conversations.map(({ title }) => title)).toEqual(['a']);
    expect(rest.endCursor).toBeUndefined();
    await expect(started.conversations.list(started.alice, { limit: 2, after: 'x' })).rejects.toThrow('endCursor');
  });

  test('loses what is deleted', async () => {
    await using started = await place().start();
    const { identifier } = await started.finished(await started.ask('a'));
    await started.conversations.remove(started.alice, identifier);
    expect((await started.conversations.list(started.alice, { limit: 2 })).conversations).toEqual([]);
    await expect(started.conversations.read(started.alice, identifier)).rejects.toMatchObject(unknown);
  });
});

describe('the API for scripts', () => {
  const root = '/.api/deepsearch/v1/conversations';
  const json = (body: object): RequestInit => ({ method: 'POST', body: JSON.stringify(body) });

  test('creates, gets, follows up, shares, resets, lists and deletes', async () => {
    await using started = await place().start();
    const send = async (path: string, init?: RequestInit) => started.send(started.alice, path, init);
    const created = await send(root, json({ question: 'one' }));
    const { identifier } = await created.json();
    expect([created.status, created.headers.get('location')]).toEqual([201, `${root}/${identifier}`]);
    await started.finished(await started.conversations.read(started.alice, identifier));
    const got = await (await send(`${root}/${identifier}`)).json();
    expect(got).toMatchObject({
      status: 'completed',
      turns: [{ answer: 'Answer to one', sources: [{ url: 'http://localhost/shop/-/blob/cart.ts?L1' }] }],
    });
    expect(got).not.toHaveProperty('version');
    const followed = await (await send(`${root}/${identifier}/questions`, json({ question: 'two' }))).json();
    expect(followed.turns).toHaveLength(2);
    await send(`${root}/${identifier}/cancel`, { method: 'POST' });
    expect(await (await send(`${root}/${identifier}/share`, json({ isShared: true }))).json()).toMatchObject({
      isShared: true,
    });
    const { identifier: fresh } = await (await send(`${root}/${identifier}/reset-token`, { method: 'POST' })).json();
    expect(await (await send(`${root}?limit=5`)).json()).toMatchObject({ conversations: [{ identifier: fresh }] });
    expect((await send(`${root}/${fresh}`, { method: 'DELETE' })).status).toBe(204);
    await expect(send(`${root}/${fresh}`)).rejects.toMatchObject(unknown);
  });

  test.each([
    ['no JSON', root, { method: 'POST', body: 'x' }, 'send JSON such as {"question"'],
    ['another key', root, json({ query: 'x' }), 'question'],
    ['a limit out of range', `${root}?limit=0`, undefined, 'limit (1 to 100)'],
    ['an unknown parameter', `${root}?page=2`, undefined, 'allowed are limit'],
  ])('refuses %s with what is allowed', async (_what, path, init, message) => {
    await using started = await place().start();
    await expect(started.send(started.alice, path, init)).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining(message),
    });
  });
});
