import { longestComment, longestQuestion, mostScope } from '@sextant/contracts';
import type {
  AnswerFeedback,
  Conversation,
  ConversationPage,
  ConversationSummary,
  Conversations,
  Credits,
  Directory,
  FeedbackSummary,
  QuestionStatus,
  Repositories,
} from '@sextant/contracts';
import { SextantError, cut, hasPermission, siteAdministration } from '@sextant/core';
import type { Call, Caller } from '@sextant/core';
import type { Changes } from './changes.ts';
import type { ConversationsConfig } from './config.ts';
import type { ConversationStore, StoredConversation } from './conversation-store.ts';
import { newToken, tokenOf, unknownConversation } from './identifier.ts';
import type { QuestionRunner } from './question-runner.ts';
import { ReaderView } from './reader-view.ts';

export interface ConversationServiceOptions {
  readonly store: ConversationStore;
  readonly runner: QuestionRunner;
  readonly changes: Changes;
  readonly directory: Directory;
  readonly repositories: Repositories;
  readonly credits: Credits;
  readonly config: ConversationsConfig;
  readonly externalURL: string;
}

type Asking = Pick<Call, 'caller' | 'noteCredits'>;

/** Milliseconds after which a change made by another process is seen. */
const pollMs = 1000;
const longestTitle = 80;

export class ConversationService implements Conversations {
  readonly #options: ConversationServiceOptions;

  constructor(options: ConversationServiceOptions) {
    this.#options = options;
  }

  async ask(
    call: Asking,
    given: string,
    { scope: named = [] }: { scope?: readonly string[] } = {},
  ): Promise<Conversation> {
    const question = requireQuestion(given);
    const scope = requireScope(named);
    const added = await this.#charged(call, () =>
      this.#options.store.add({
        question,
        token: newToken(),
        ownerId: call.caller.user.id,
        title: titleOf(question),
        scope,
      }),
    );
    void this.#options.runner.look();
    return this.#seenBy(call.caller, added);
  }

  async followUp(call: Asking, asked: { identifier: string; question: string }): Promise<Conversation> {
    const question = requireQuestion(asked.question);
    const { id } = await this.#own(call.caller, asked.identifier);
    await this.#charged(call, () => this.#options.store.addTurn(id, question));
    void this.#options.runner.look();
    return this.#changed(call.caller, id, asked.identifier);
  }

  async read(caller: Caller, identifier: string): Promise<Conversation> {
    return this.#seenBy(caller, await this.#find(caller, identifier));
  }

  async next(
    caller: Caller,
    { identifier, version }: { identifier: string; version: number },
    signal: AbortSignal,
  ): Promise<Conversation> {
    const { changes } = this.#options;
    for (;;) {
      signal.throwIfAborted();
      // Whoever waits for long may do less by now than when they began.
      const reader = await this.#asNow(caller);
      const stored = await this.#find(reader, identifier);
      if (stored.version > version) return this.#seenBy(reader, stored);
      await changes.wait(stored.id, { atMost: pollMs, signal });
    }
  }

  async list(caller: Caller, { limit, after }: { limit: number; after?: string }): Promise<ConversationPage> {
    const before = after === undefined ? Number.MAX_SAFE_INTEGER : idOf(after);
    const rows = await this.#options.store.ofOwner(caller.user.id, { before, limit: limit + 1 });
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    return {
      conversations: shown.map((row) => this.#summary(caller, row, row.status)),
      ...(rows.length > limit && last && { endCursor: cursorOf(last.id) }),
    };
  }

  async cancel(caller: Caller, identifier: string): Promise<Conversation> {
    const { id } = await this.#own(caller, identifier);
    await this.#options.store.cancel(id);
    this.#options.runner.cancel(id);
    return this.#changed(caller, id, identifier);
  }

  async share(caller: Caller, identifier: string, isShared: boolean): Promise<Conversation> {
    const { id } = await this.#own(caller, identifier);
    await this.#options.store.change(id, { isShared });
    return this.#changed(caller, id, identifier);
  }

  async resetToken(caller: Caller, identifier: string): Promise<Conversation> {
    const { id } = await this.#own(caller, identifier);
    const token = newToken();
    await this.#options.store.change(id, { token });
    return this.#changed(caller, id, token);
  }

  async remove(caller: Caller, identifier: string): Promise<void> {
    const { id } = await this.#own(caller, identifier);
    await this.#options.store.remove(id);
    this.#options.runner.cancel(id);
    this.#options.changes.announce(id);
  }

  async rate(
    caller: Caller,
    { identifier, number, rating, comment: given = '' }: AnswerFeedback,
  ): Promise<Conversation> {
    const { id } = await this.#own(caller, identifier);
    const comment = given.trim();
    if (comment.length > longestComment)
      throw new SextantError(
        'invalid_argument',
        `comment has ${comment.length} characters; ${longestComment} are allowed`,
      );
    if (!(await this.#options.store.rate(id, { number, rating, comment })))
      throw new SextantError('invalid_argument', `question ${number} of this conversation has no answer to be rated`);
    return this.#changed(caller, id, identifier);
  }

  async feedback(caller: Caller, { complaints }: { complaints: number }): Promise<FeedbackSummary> {
    if (!hasPermission(caller, siteAdministration)) throw new SextantError('forbidden', 'forbidden');
    return this.#options.store.feedback(complaints);
  }

  /** Takes the credits when the question is stored, and gives them back when it could not be. */
  async #charged<T>(call: Asking, store: () => Promise<T>): Promise<T> {
    const { credits, config, store: conversations } = this.#options;
    if ((await conversations.waitingOf(call.caller.user.id)) >= config.waitingPerUser)
      throw new SextantError(
        'exhausted',
        `you have ${config.waitingPerUser} questions that are not finished; wait for one of them, or cancel it`,
      );
    const hold = await credits.reserve(call, { tool: 'deepsearch', credits: config.credits });
    try {
      const stored = await store();
      await hold.settle();
      return stored;
    } finally {
      await hold[Symbol.asyncDispose]();
    }
  }

  async #changed(caller: Caller, id: number, identifier: string): Promise<Conversation> {
    this.#options.changes.announce(id);
    return this.read(caller, identifier);
  }

  async #asNow({ user, scopes, credential }: Caller): Promise<Caller> {
    const now = await this.#options.directory.callerFor({ userId: user.id, scopes, credential });
    if (!now) throw new SextantError('forbidden', 'the user who reads this is disabled');
    return now;
  }

  async #find(caller: Caller, identifier: string): Promise<StoredConversation> {
    const found = await this.#options.store.find(tokenOf(identifier));
    if (!found || !(found.isShared || found.ownerId === caller.user.id)) throw unknownConversation();
    return found;
  }

  async #own(caller: Caller, identifier: string): Promise<StoredConversation> {
    const found = await this.#find(caller, identifier);
    if (found.ownerId !== caller.user.id) throw unknownConversation();
    return found;
  }

  async #seenBy(caller: Caller, stored: StoredConversation): Promise<Conversation> {
    const view = new ReaderView(this.#options.repositories, caller);
    const isOwn = stored.ownerId === caller.user.id;
    const turns = await this.#options.store.turns(stored.id);
    const last = turns.at(-1);
    if (!last) throw unknownConversation();
    return {
      ...this.#summary(caller, stored, last.status),
      ...(isOwn && stored.scope && { scope: stored.scope }),
      turns: await Promise.all(turns.map((turn) => view.turn(turn, isOwn))),
      version: stored.version,
    };
  }

  #summary(caller: Caller, stored: StoredConversation, status: QuestionStatus): ConversationSummary {
    const { token: identifier, title, isShared, createdAt } = stored;
    const isOwn = stored.ownerId === caller.user.id;
    const path = isOwn ? identifier : `shared/${identifier}`;
    return {
      identifier,
      title,
      status,
      link: `${this.#options.externalURL}/deepsearch/${path}`,
      isOwn,
      isShared,
      createdAt: new Date(createdAt).toISOString(),
    };
  }
}

function requireQuestion(given: string): string {
  const question = given.trim();
  if (question === '') throw new SextantError('invalid_argument', 'question is empty; ask something about the code');
  if (question.length <= longestQuestion) return question;
  throw new SextantError(
    'invalid_argument',
    `question has ${question.length} characters; ${longestQuestion} are allowed. Leave out what is not needed`,
  );
}

function requireScope(names: readonly string[]): string[] {
  const scope = [...new Set(names)];
  if (scope.length <= mostScope) return scope;
  throw new SextantError(
    'invalid_argument',
    `${scope.length} repositories are named; ${mostScope} are allowed. Name none to ask about all`,
  );
}

/** The first line of the question, cut at a word. */
function titleOf(question: string): string {
  const line = question.split('\n', 1)[0]?.trim() ?? '';
  return line.length <= longestTitle ? line : cut(line, longestTitle).replace(/\s+\S*…$/, '…');
}

const cursorOf = (id: number): string => Buffer.from(`conversation ${id}`).toString('base64url');

function idOf(cursor: string): number {
  const id = /^conversation (\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString())?.[1];
  if (id === undefined)
    throw new SextantError('invalid_argument', 'after must be the endCursor of an earlier page, as it was given');
  return Number(id);
}
