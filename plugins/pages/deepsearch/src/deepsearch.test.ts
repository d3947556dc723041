import type { CodePiece, Conversation, Conversations, ConversationTurn } from '@sextant/contracts';
import { memorySessions, oneRepository } from '@sextant/contracts/testing';
import { SextantError, silentLogger } from '@sextant/core';
import { callerOf } from '@sextant/core/testing';
import { plainLine } from '@sextant/library-ui';
import { describe, expect, it } from 'vitest';
import plugin from './index.ts';

const identifier = 'k'.repeat(32);
const source = { repo: 'shop', path: 'src/cart.ts', commit: 'c'.repeat(40), startLine: 3, endLine: 9 };

const turn = (more: Partial<ConversationTurn> = {}): ConversationTurn => ({
  question: 'Where is the <b>cart</b>?',
  status: 'completed',
  askedAt: '2026-01-01T00:00:00.000Z',
  answer: 'It is **here**.',
  sources: [source],
  withheldSources: 0,
  steps: [],
  ...more,
});

const conversationOf = (more: Partial<Conversation> = {}): Conversation => ({
  identifier,
  title: 'Where is the cart?',
  status: 'completed',
  link: `http://localhost/deepsearch/${identifier}`,
  isOwn: true,
  isShared: false,
  createdAt: '2026-01-01T00:00:00.000Z',
  version: 3,
  turns: [turn()],
  ...more,
});

const unknown = async (): Promise<never> => {
  throw new SextantError('not_found', 'there is no such conversation');
};

/** Asks a page as someone who is signed in. */
async function visit(
  path: string,
  methods: Partial<Conversations>,
  fields?: Record<string, string>,
): Promise<Response> {
  const sessions = memorySessions();
  const cookie = (await sessions.begin(1, new Request('http://localhost/'))).split(';')[0] ?? '';
  const session = await sessions.find(new Headers({ cookie }));
  const form = fields && { method: 'POST', body: new URLSearchParams({ csrf: session?.csrfToken ?? '', ...fields }) };
  const request = new Request(`http://localhost${path}`, { headers: { cookie }, ...form });
  const { pathname } = new URL(request.url);
  const matches = (pattern: string): boolean => new RegExp(`^${pattern.replace(/:\w+/g, '[^/]+')}$`).test(pathname);
  const page = plugin.pages.find((each) => each.method === request.method && matches(each.path));
  if (!page) throw new Error(`there is no page ${request.method} ${pathname}`);
  const links = { file: ({ path: file }: { path: string }) => `http://localhost/shop/-/blob/${file}` };
  return page.respond(
    request,
    {
      conversations: methods,
      links,
      sessions,
      repositories: {
        ...oneRepository({
          readText: async () => ({
            text: '1\n2\nthree <b>\n4\n',
            bytes: 16,
            lineStarts: [0, 2, 4, 14],
            encoding: 'utf-8',
          }),
        }),
        list: async () => [{ name: 'later', clone: { state: 'cloning' } }, { name: 'shop' }, { name: 'bank' }],
      },
      colours: {
        colour: async ({ path: file, lines }: CodePiece) => ({
          markup: lines.map((line) => `${plainLine(line)}<i>${file}</i>`),
          isComplete: true,
        }),
      },
      model: { model: 'some-coder' },
      directory: { list: async () => [{ id: 1, name: 'alice' }] },
    },
    {
      caller: callerOf('alice'),
      endpoint: page.path,
      signal: request.signal,
      log: silentLogger,
      reportProgress() {},
    },
  );
}

const reading = (conversation: Conversation): Partial<Conversations> => ({ read: async () => conversation });
const read = async (conversation: Conversation, path = `/deepsearch/${identifier}`): Promise<string> =>
  (await visit(path, reading(conversation))).text();

describe('a conversation', () => {
  it('numbers its sources, shows their lines, and keeps the steps to them', async () => {
    const link = 'http://localhost/shop/-/blob/src/cart.ts';
    const page = await read(
      conversationOf({ turns: [turn({ answer: `[here](${link})`, steps: ['search', 'read'] })] }),
    );
    expect(page).toContain(
      `>here</a><sup><a class="cite" href="${link}" data-source="1" aria-label="Source 1">1</a></sup>`,
    );
    expect(page).toContain('<b>3</b><code>three &lt;b&gt;');
    expect(page).toMatch(/<summary>2 steps<\/summary><ol class="steps"><li>search<\/li>/);
  });

  it('shows question, answer and sources; what people and repositories wrote stays text', async () => {
    const answer = 'It is **here**. <img src=x> ![i](http://evil.example/i.png) [x](javascript:alert(1))';
    const page = await read(conversationOf({ turns: [turn({ answer })] }));
    expect(page).toContain('Where is the &lt;b>cart&lt;/b>?');
    expect(page).toContain('<strong>here</strong>');
    expect(page).toContain('href="http://localhost/shop/-/blob/src/cart.ts"');
    expect(page).not.toMatch(/<img|href="javascript/);
  });

  it('colours the code of an answer as the file before it, with its line numbers apart', async () => {
    const link = 'http://localhost/shop/-/blob/src/cart.ts';
    const numbered = '```\n 9: if (a < b)\n10:   stop();\n```';
    const gaps = '```\n4: one\n…\n7: two\n```';
    const other = '```\n9: one\n10: two\n9: three\n```';
    const nothing = '```\n…\n```';
    const page = await read(
      conversationOf({
        turns: [turn({ answer: `[here](${link})\n\n${numbered}\n\n${gaps}\n\n${other}\n\n${nothing}` })],
      }),
    );
    expect(page).toContain('<b>9</b><code>if (a &lt; b)<i>src/cart.ts</i>\n</code>');
    expect(page).toContain('<b>10</b><code>  stop();<i>src/cart.ts</i>');
    expect(page).toMatch(/<b>4<\/b><code>one<i>.*<div class="lines">.*<b>7<\/b><code>two<i>/s);
    expect(page).toContain('<pre tabindex="0"><code>9: one<i>src/cart.ts</i>\n10: two<i>');
    expect(page).toContain('<pre tabindex="0"><code>…<i>src/cart.ts</i>');
  });

  it('says that there are sources that the reader may not read', async () => {
    expect(await read(conversationOf({ turns: [turn({ withheldSources: 2 })] }))).toContain('2 more sources');
  });

  it('is watched while it is worked on, and can be canceled by its owner', async () => {
    const working = turn({ status: 'processing', steps: ['searched', 'read cart.ts'] });
    const page = await read(conversationOf({ status: 'processing', turns: [working] }));
    expect(page).toContain(`data-live="/deepsearch/${identifier}/events?version=3"`);
    expect(page).toContain('read cart.ts');
    expect(page).toContain(`action="/deepsearch/${identifier}/cancel"`);
  });

  it('of someone else has no forms, and events of its own path', async () => {
    const foreign = conversationOf({ isOwn: false, status: 'queued', turns: [turn({ status: 'queued' })] });
    const page = await read(foreign, `/deepsearch/shared/${identifier}`);
    expect(page).toContain(`data-live="/deepsearch/shared/${identifier}/events?version=3"`);
    expect(page).not.toContain('action="/deepsearch');
  });

  it('is markdown under .md', async () => {
    const response = await visit(`/deepsearch/${identifier}.md`, reading(conversationOf()));
    expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(await response.text()).toContain('> Where is the <b>cart</b>?\n\nIt is **here**.');
  });

  it.each([`/deepsearch/${identifier}`, `/deepsearch/shared/${identifier}`, '/deepsearch/x'])(
    'that is missing or not shared is the same page with status 404: %s',
    async (path) => {
      const response = await visit(path, { read: unknown });
      expect(response.status).toBe(404);
      expect(await response.text()).toContain('There is no such conversation');
    },
  );
});

describe('forms', () => {
  it.each([
    ['questions', { question: 'And?' }, 'followUp'],
    ['cancel', {}, 'cancel'],
    ['share', { shared: '1' }, 'share'],
    ['reset-token', {}, 'resetToken'],
  ])('%s changes the conversation and leads back to it', async (action, fields, method) => {
    const called: string[] = [];
    const change = (name: string) => async () => {
      called.push(name);
      return conversationOf();
    };
    const methods = {
      followUp: change('followUp'),
      cancel: change('cancel'),
      share: change('share'),
      resetToken: change('resetToken'),
    };
    const response = await visit(`/deepsearch/${identifier}/${action}`, methods, fields);
    expect([response.status, response.headers.get('location')]).toEqual([303, `/deepsearch/${identifier}`]);
    expect(called).toEqual([method]);
  });

  it('deleting leads to the list', async () => {
    const response = await visit(`/deepsearch/${identifier}/delete`, { remove: async () => {} }, {});
    expect([response.status, response.headers.get('location')]).toEqual([303, '/deepsearch']);
  });

  it('without the token of the session change nothing, and the page says why', async () => {
    const methods = { ...reading(conversationOf()), cancel: () => Promise.reject(new Error('it was canceled')) };
    const response = await visit(`/deepsearch/${identifier}/cancel`, methods, { csrf: 'x' });
    expect(response.status).toBe(403);
    expect(await response.text()).toContain('role="alert"');
  });

  it('asking leads to the conversation; what is refused stays in the field', async () => {
    const ask = async (_call: unknown, question: string): Promise<Conversation> => {
      if (question === 'no') throw new SextantError('exhausted', 'no credits until Monday');
      return conversationOf();
    };
    const list = async () => ({ conversations: [] });
    const asked = await visit('/deepsearch', { ask, list }, { question: 'yes' });
    expect([asked.status, asked.headers.get('location')]).toEqual([303, `/deepsearch/${identifier}`]);
    const refused = await (await visit('/deepsearch', { ask, list }, { question: 'no' })).text();
    expect(refused).toContain('no credits until Monday');
    expect(refused).toMatch(/<textarea[^>]*>no<\/textarea>/);
  });
});

describe('the list', () => {
  it('says who answers, and has questions that can be asked here, and the repositories to choose from', async () => {
    const list = async () => ({ conversations: [] });
    const page = await (await visit('/deepsearch?question=Why%3F', { list })).text();
    expect(page).toContain('some-coder answers');
    expect(page).toContain('href="/deepsearch?question=How+are+errors+handled%3F&amp;repository=shop"');
    expect(page).toContain('<option value="bank">');
    expect(page).toContain('>Why?</textarea>');
    expect(await (await visit('/deepsearch?repository=bank', { list })).text()).toMatch(
      /name="repositories"[^>]*value="bank"/,
    );
    const asked: unknown[] = [];
    const ask = async (_call: unknown, question: string, options: unknown): Promise<Conversation> => {
      asked.push(question, options);
      return conversationOf();
    };
    await visit('/deepsearch', { ask, list }, { question: 'Why?', repositories: ' bank, shop, ' });
    expect(asked).toEqual(['Why?', { scope: ['bank', 'shop'] }]);
  });

  it('has the conversations with their state, and leads to the next page', async () => {
    const { turns: _turns, version: _version, ...summary } = conversationOf({ isShared: true });
    const list = async () => ({ conversations: [summary], endCursor: 'more' });
    const page = await (await visit('/deepsearch', { list })).text();
    for (const shown of [`href="/deepsearch/${identifier}"`, 'Answered', 'Shared', 'href="/deepsearch?after=more"'])
      expect(page).toContain(shown);
  });
});

describe('feedback', () => {
  it('is asked for by the owner below an answer, which says who answered, and in what time', async () => {
    const page = await read(conversationOf({ scope: ['shop'], turns: [turn({ model: 'some-coder', seconds: 12 })] }));
    expect(page).toContain('some-coder in 12 s,');
    expect(page).toContain('About shop');
    expect(page).toContain('Did this help?');
    const foreign = await read(conversationOf({ isOwn: false }), `/deepsearch/shared/${identifier}`);
    expect(foreign).not.toContain('Did this help?');
    expect(await read(conversationOf({ turns: [turn({ rating: 'bad' })] }))).toContain('rated this answer as bad');
  });

  it('is kept with what is wrong, and leads back to the question', async () => {
    const rated: unknown[] = [];
    const rate: Conversations['rate'] = async (_caller, feedback) => {
      rated.push(feedback);
      return conversationOf();
    };
    const fields = { number: '2', rating: 'bad', comment: 'Not this one' };
    const response = await visit(`/deepsearch/${identifier}/rating`, { rate }, fields);
    expect(response.headers.get('location')).toBe(`/deepsearch/${identifier}#question-2`);
    expect(rated).toEqual([{ identifier, number: 2, rating: 'bad', comment: 'Not this one' }]);
  });

  it('is seen by administrators: counts by model, and complaints as text', async () => {
    const complaint = { question: 'Why <b>?', comment: '', askedAt: '2026-01-01T00:00:00.000Z', userId: 1 };
    const feedback = async () => ({ counts: [{ model: 'some-coder', good: 3, bad: 1 }], complaints: [complaint] });
    const page = await (await visit('/deepsearch/feedback', { feedback })).text();
    expect(page).toContain('75 %');
    expect(page).toContain('Why &lt;b>?');
    expect(page).toContain('alice');
    const list = async () => ({ conversations: [] });
    expect(await (await visit('/deepsearch', { list })).text()).not.toContain('/deepsearch/feedback');
  });
});

describe('live progress', () => {
  it('sends the changed part of the page and ends with the answer', async () => {
    const stages = [
      conversationOf({
        status: 'processing',
        version: 4,
        turns: [turn(), turn({ status: 'processing', steps: ['searched'], draft: 'It *is* <b>' })],
      }),
      conversationOf({ version: 5, turns: [turn(), turn()] }),
    ];
    const next: Conversations['next'] = async (_caller, { version }, signal) =>
      stages.find((stage) => stage.version > version) ??
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const response = await visit(`/deepsearch/${identifier}/events?version=3`, { ...reading(conversationOf()), next });
    const text = await response.text();
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(text.split('\n').filter((line) => /^(id|event)/.test(line))).toEqual([
      'id: 4',
      'event: change',
      'id: 5',
      'event: change',
      'event: end',
    ]);
    expect(text).toContain('searched');
    expect(text).toContain('It <em>is</em> &lt;b&gt;');
    expect(text).toContain('<strong>here</strong>');
    expect(text).not.toContain('question-1');
  });
});
