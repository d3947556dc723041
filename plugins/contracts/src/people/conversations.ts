import { token, oneLine } from '@sextant/core';
import type { Call, Caller } from '@sextant/core';
import type { ResearchSource } from '../code/research/researcher.ts';

/** How far a question has come; the last three are final. */
export const questionStatuses = ['queued', 'processing', 'completed', 'failed', 'canceled'] as const;
export type QuestionStatus = (typeof questionStatuses)[number];

export const isFinal = (status: QuestionStatus): boolean => status !== 'queued' && status !== 'processing';

/** What its owner thinks of an answer. */
export const ratings = ['good', 'bad'] as const;
export type Rating = (typeof ratings)[number];

/** One question of a conversation, and what became of it, as one reader may see it. */
export interface ConversationTurn {
  readonly question: string;
  readonly status: QuestionStatus;
  /** RFC 3339 in UTC. */
  readonly askedAt: string;
  /** Markdown; absent until the question is completed. Says so where something is withheld from this reader. */
  readonly answer?: string;
  /** Those that the reader may read. */
  readonly sources: readonly ResearchSource[];
  /** Sources in repositories that the reader may not read. */
  readonly withheldSources: number;
  /** Why it failed. */
  readonly error?: string;
  /** The language model that answered; absent: none did, or it is not known. */
  readonly model?: string;
  /** From the question to its answer. */
  readonly seconds?: number;
  /** Of its owner, and only for them. */
  readonly rating?: Rating;
  /** Markdown that the answer says so far, unchecked; only for the owner, and only while the question is worked on. */
  readonly draft?: string;
  /** What was done so far, oldest first; only for the owner. */
  readonly steps: readonly string[];
}

/** A conversation as its owner and, while it is shared, anyone who is signed in and has the read token may see it. */
export interface Conversation {
  /** Read token: 32 characters. Names the conversation everywhere; a new one takes its place when it is reset. */
  readonly identifier: string;
  readonly title: string;
  /** Of the last question. */
  readonly status: QuestionStatus;
  /** Page of the conversation on this server. */
  readonly link: string;
  readonly isOwn: boolean;
  readonly isShared: boolean;
  /** RFC 3339 in UTC. */
  readonly createdAt: string;
  /** Names of the repositories that it is about, for its owner; absent: those that a question names, else all. */
  readonly scope?: readonly string[];
  readonly turns: readonly ConversationTurn[];
  /** Grows with every change; see `next`. */
  readonly version: number;
}

export type ConversationSummary = Omit<Conversation, 'turns' | 'version' | 'scope'>;

export interface ConversationPage {
  readonly conversations: readonly ConversationSummary[];
  /** Of the next page; absent on the last one. */
  readonly endCursor?: string;
}

/** What a person thinks of the answer to a question of their own. */
export interface AnswerFeedback {
  identifier: string;
  /** Of the question in its conversation, from 1. */
  number: number;
  rating: Rating;
  /** Up to 2,000 characters, for administrators. */
  comment?: string;
}

/** An answer that did not help, as whoever asked told administrators. */
export interface Complaint {
  readonly question: string;
  readonly comment: string;
  /** RFC 3339 in UTC. */
  readonly askedAt: string;
  readonly userId: number;
  readonly model?: string;
}

/** What people think of answers: how many of each model were good and bad, and the newest complaints. */
export interface FeedbackSummary {
  /** Those that no model answered have none. */
  readonly counts: readonly { readonly model?: string; readonly good: number; readonly bad: number }[];
  readonly complaints: readonly Complaint[];
}

/** Most UTF-16 code units of a question. */
export const longestQuestion = 20_000;
/** Most UTF-16 code units of a comment on an answer. */
export const longestComment = 2000;
/** Most repositories that a conversation is about. */
export const mostScope = 50;

/**
 * Questions about code that are answered in the background, kept until their owner deletes them. An identifier is the
 * read token, or the address of the conversation's page. Every method throws `not_found`, always in the same words, for
 * an identifier that is malformed, unknown or reset. The same holds for a conversation that the caller may not read or,
 * to change it, does not own.
 */
export interface Conversations {
  /**
   * Begins a conversation; costs a credit of `deepsearch`. Throws `invalid_argument` for an empty or too long question, and
   * `exhausted` when the caller has too many questions that wait, or no credits.
   */
  ask(
    call: Pick<Call, 'caller' | 'noteCredits'>,
    question: string,
    options?: { readonly scope?: readonly string[] },
  ): Promise<Conversation>;
  /** Throws `conflict` while an earlier question of the conversation is not finished; else as `ask`. */
  followUp(
    call: Pick<Call, 'caller' | 'noteCredits'>,
    asked: { identifier: string; question: string },
  ): Promise<Conversation>;
  read(caller: Caller, identifier: string): Promise<Conversation>;
  /** Waits until its version is greater than the one given; throws the signal's reason when it aborts. */
  next(caller: Caller, after: { identifier: string; version: number }, signal: AbortSignal): Promise<Conversation>;
  /** The caller's own, newest first. Throws `invalid_argument` for a cursor that no page gave. */
  list(caller: Caller, page: { limit: number; after?: string }): Promise<ConversationPage>;
  /** Stops what is not finished. */
  cancel(caller: Caller, identifier: string): Promise<Conversation>;
  share(caller: Caller, identifier: string, isShared: boolean): Promise<Conversation>;
  /** Gives it another read token; the old one stops working. */
  resetToken(caller: Caller, identifier: string): Promise<Conversation>;
  remove(caller: Caller, identifier: string): Promise<void>;
  /**
   * Keeps what the owner thinks of an answer, instead of what they thought before. Throws `invalid_argument` for a question
   * that is not there or has no answer. Administrators see the question and the comment of a bad one.
   */
  rate(caller: Caller, feedback: AnswerFeedback): Promise<Conversation>;
  /** Throws `forbidden` without the permission to administer the site. */
  feedback(caller: Caller, limits: { complaints: number }): Promise<FeedbackSummary>;
}

export const Conversations = token<Conversations>('conversations');

/** A conversation as one markdown text, for readers of text and for `.md`. */
export const conversationMarkdown = ({ turns }: Pick<Conversation, 'turns'>): string =>
  turns.map((turn) => [quoted(turn.question), stateOf(turn)].join('\n\n')).join('\n\n');

/** A question is what its author typed: quoted, so that it cannot pass for an answer. */
const quoted = (question: string): string =>
  question
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');

function stateOf({ status, answer, error, steps }: ConversationTurn): string {
  switch (status) {
    case 'completed':
      return answer ?? '';
    case 'failed':
      return `The question failed: ${error ?? 'the reason is not known'}`;
    case 'canceled':
      return 'The question was canceled.';
    case 'queued':
      return 'The question waits for its turn.';
    case 'processing':
      return ['The question is being worked on.', ...steps.slice(-5).map((step) => `- ${oneLine(step)}`)].join('\n');
  }
}
