import {
  identifierParts,
  identifiersIn,
  isStopWord,
  isWeakWord,
  pathMentions,
  phrasesIn,
  piecesIn,
  stem,
  wantedClasses,
} from '@sextant/library-ranking';
import type { PathClass, PathMention } from '@sextant/library-ranking';
import { withoutNoise } from './noise.ts';

/** What a task says of the place that it is about. */
export interface ReadTask {
  /** By which files are ranked; the weightiest first. */
  readonly words: readonly TaskWord[];
  /** Names as they stand in code. */
  readonly identifiers: readonly string[];
  /** Texts as they stand in code. */
  readonly phrases: readonly string[];
  /** What may stand so in code, too, if the task is a message that was pasted: what is between its values. */
  readonly pieces: readonly string[];
  readonly paths: readonly PathMention[];
  /** What stands before a colon at its beginning: `fix(parser): …`. */
  readonly scopes: readonly string[];
  /** Kinds of file that it asks for besides source. */
  readonly wanted: ReadonlySet<PathClass>;
  /** Whether it asks for what is there instead of a change. */
  readonly isQuestion: boolean;
}

export interface TaskWord {
  readonly stem: string;
  /** As it stands in the task, in lower case. */
  readonly text: string;
  readonly weight: number;
}

/** UTF-16 code units of a task that are looked at: what is beyond is a log or a file, and its beginning tells which. */
const mostCharacters = 20_000;
/** What is longer without a space is data; patterns take the square of its length. */
const longestWord = 256;
const mostSubject = 300;
const mostWords = 48;

/** Tuned on past commits; see docs/benchmarks.md. */
const weights = { subject: 1, body: 0.3, name: 1.5, weak: 0.5 };

const longWord = new RegExp(String.raw`[^\s\P{ASCII}]{${longestWord},}`, 'gu');
const question = /\?\s*$|^\W*(?:where|how|what|which|who|when|why|does|is|are|can)\b/i;

/** What a question about a way ends with stands nowhere. */
const howItWorks = /^(\W*how (?:do|does)\b[^\n]{0,300}?)\bworks?\b(?=\s*(?:[?.!\n]|$|in\b))/i;

export function readTask(task: string): ReadTask {
  const given = task.slice(0, mostCharacters).replaceAll(longWord, (word) => `${word.slice(0, longestWord)} `);
  const text = withoutNoise(given);
  const { subject, body } = parted(text.replace(howItWorks, '$1'));
  const identifiers = identifiersIn(text);
  return {
    words: wordsOf({ subject, body, names: identifiers }),
    identifiers,
    phrases: phrasesIn(text),
    pieces: piecesIn(text).map((piece) => piece.text),
    paths: pathMentions(given),
    scopes: scopesOf(subject),
    wanted: wantedClasses(subject),
    isQuestion: question.test(subject),
  };
}

/** The first line says most; a long one is cut at a sentence. */
function parted(text: string): { subject: string; body: string } {
  const trimmed = text.trim();
  const line = trimmed.split('\n', 1)[0] ?? '';
  const sentence =
    line.length <= mostSubject ? line : (/^.{40,300}?[.!?](?=\s)/.exec(line)?.[0] ?? line.slice(0, mostSubject));
  return { subject: sentence, body: trimmed.slice(sentence.length) };
}

function wordsOf({ subject, body, names }: { subject: string; body: string; names: readonly string[] }): TaskWord[] {
  const partsOfNames = new Set(names.flatMap(identifierParts).map(stem));
  const found = new Map<string, { text: string; weight: number; count: number }>();
  for (const [part, base] of [
    [subject, weights.subject],
    [body, weights.body],
  ] as const)
    for (const text of identifierParts(part)) {
      if (isStopWord(text) || text.length > 60 || /^\d+$/.test(text)) continue;
      const key = stem(text);
      const known = found.get(key) ?? { text, weight: 0, count: 0 };
      const factor = (partsOfNames.has(key) ? weights.name : 1) * (isWeakWord(text) ? weights.weak : 1);
      found.set(key, { text: known.text, weight: Math.max(known.weight, base * factor), count: known.count + 1 });
    }
  const words = [...found].map(([key, { text, weight, count }]) => ({
    stem: key,
    text,
    weight: weight * Math.sqrt(Math.min(count, 4)),
  }));
  // Of equal ones the first: sorting is stable.
  return words.sort((a, b) => b.weight - a.weight).slice(0, mostWords);
}

/** `type(scope): …` and `area/part: …`. */
function scopesOf(subject: string): string[] {
  const [, type = '', inner] = /^\W*([\w./ ,+-]{1,60}?)(?:\(([^)]{1,60})\))?!?:\s/.exec(subject) ?? [];
  const named =
    inner ?? (/^(?:feat|fix|perf|refactor|style|docs|test|tests|build|ci|chore|revert|deps)$/i.test(type) ? '' : type);
  return named.split(/[,+ ]+/).filter((scope) => scope.length > 1);
}

/** Words of those who want to know everything. */
const vague = new Set(
  `anything architecture base basic basics code codebase codebases component components content contents describe description design detail details
discover entire everything explain explanation explore familiar file files find folder folders general help high idea important information
introduce introduction know layout learn level list locate look main module modules organised organized overall overview package packages part
parts program programs project projects purpose readme repo repos repository repositories show software source structure structured
study summarise summarize summary system tell thing things tour understand whole work working works write written`.split(
    /\s+/,
  ),
);

/** Whether a task asks for an overview: it names no place, and nothing that could be looked for. */
export const isBroad = ({ words, identifiers, paths, phrases }: ReadTask): boolean =>
  identifiers.length + paths.length + phrases.length === 0 && words.every(({ text }) => vague.has(text));
