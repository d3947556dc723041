import { languageOfFile } from '@sextant/contracts';
import { inverseFrequency, pathClass, priorOf } from '@sextant/library-ranking';
import type { PathClass } from '@sextant/library-ranking';
import type { Evidence, Ranking } from '../threads/research-steps.ts';
import { scan } from './scan.ts';
import type { Scan } from './scan.ts';
import { nameSignal, namesSignal, scopeSignal, signalWeights, wordsSignal } from './signals.ts';
import type { SignalName, Signals, WordWeights } from './signals.ts';
import { Vocabulary } from './vocabulary.ts';

/** Evidence, and the words that files are compared with. */
type Compared = Evidence & { readonly vocabulary: Vocabulary };

/** Files of which it is said why they are there. */
const mostExplained = 10;

/** Questions are about what is there, not about what changes. */
const questionWeights: Readonly<Record<SignalName, number>> = { ...signalWeights, past: 0.2, recency: 0 };

/** Ranks files by what they, their names and their past say of a task; the same for the same evidence. What is canceled is not heard. */
export function rank(given: Evidence, isCanceled: () => boolean): Ranking {
  const evidence = { ...given, vocabulary: new Vocabulary(given.read) };
  const scans = scanAll(evidence, isCanceled);
  const weights = weightsOf(evidence);
  const measured = measure(evidence, scans, weights);
  const greatest = Object.fromEntries(
    names.map((name) => [name, Math.max(...measured.map(({ signals }) => signals[name]), Number.MIN_VALUE)]),
  );
  const factors = evidence.read.isQuestion ? questionWeights : signalWeights;
  const scored = measured.map(({ path, signals }) => {
    const shares = mapSignals((name) => signals[name] / (greatest[name] ?? 1));
    const sum = names.reduce((total, name) => total + factors[name] * shares[name], 0);
    return { path, scan: scans.get(path), signals: shares, score: sum * priorAt(path, evidence) };
  });
  scored.sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1));
  const best = scored[0]?.score ?? 1;
  const { vocabulary } = evidence;
  const files = scored.map(({ path, scan, signals, score }, index) => ({
    path,
    score: best > 0 ? score / best : 0,
    reason: index < mostExplained ? reasonOf({ scan, signals }, { vocabulary, weights }) : '',
    scan: scan && { names: scan.names },
  }));
  return { files, weights };
}

const names = Object.keys(signalWeights) as SignalName[];

const mapSignals = (value: (name: SignalName) => number): Signals =>
  Object.fromEntries(names.map((name) => [name, value(name)])) as Record<SignalName, number>;

/** A file that the task names is wanted, whatever it is. */
const priorAt = (path: string, { read, mentioned }: Evidence): number =>
  mentioned.get(path)?.share === 1 ? 1 : priorOf(fileKind(path), read.wanted);

function scanAll({ texts, vocabulary }: Compared, isCanceled: () => boolean): Map<string, Scan> {
  const scans = new Map<string, Scan>();
  for (const [path, text] of texts) {
    if (isCanceled()) break;
    scans.set(path, scan(text, vocabulary));
  }
  return scans;
}

/** The engine knows how many files have a word; for words that it did not count, what was read tells. */
function weightsOf({ vocabulary, found, fileCount }: Compared): WordWeights {
  return vocabulary.words.map(({ text, weight }) => {
    const counted = found.words
      .filter(({ stem }) => text.startsWith(stem))
      .sort((a, b) => b.stem.length - a.stem.length)[0];
    return weight * inverseFrequency(fileCount, Math.min(fileCount, counted?.fileCount ?? fileCount / 10));
  });
}

function measure(
  { read, vocabulary, found, past, paths, mentioned }: Compared,
  scans: ReadonlyMap<string, Scan>,
  weights: WordWeights,
): { path: string; signals: Signals }[] {
  const all = [...scans.values()];
  const average = Math.max(1, all.reduce((sum, { length }) => sum + length, 0) / Math.max(1, all.length));
  const count = (has: (name: Scan['names'][number]) => boolean): number[] =>
    vocabulary.names.map((_, name) => all.filter(({ names }) => names[name] && has(names[name])).length);
  const definers = count(({ definition }) => definition > 0);
  const users = count(({ uses }) => uses > 0);
  return paths.map((path) => {
    const scanned = scans.get(path);
    const changed = past.lastChanged.get(path);
    const signals: Signals = {
      words: wordsSignal({ path, scan: scanned }, { vocabulary, weights, average }),
      past: past.said.get(path) ?? 0,
      names: scanned ? namesSignal(scanned, definers, users) : 0,
      paths: mentioned.get(path)?.share ?? 0,
      phrases: found.phrases.get(path) ?? 0,
      scope: scopeSignal(path, read.scopes),
      recency: changed === undefined ? 0 : 1 / (1 + changed / 50),
      name: nameSignal(path, vocabulary),
    };
    return { path, signals };
  });
}

/** The class of a path, with less taken for source than in a search: what is in no language, such as a project file, is configuration. */
function fileKind(path: string): PathClass {
  const kind = pathClass(path);
  return kind === 'source' && languageOfFile(path) === undefined ? 'configuration' : kind;
}

/** Signals that a reason names, and words or names that it lists. */
const mostSignals = 2;
const mostListed = 5;

/** Why a file is among the results: what weighed most in its score, in one sentence. */
function reasonOf(
  { scan, signals }: { scan: Scan | undefined; signals: Signals },
  { vocabulary, weights }: { vocabulary: Vocabulary; weights: WordWeights },
): string {
  const named = vocabulary.names.filter((_, name) => (scan?.names[name]?.uses ?? 0) > 0);
  const defined = vocabulary.names.filter((_, name) => (scan?.names[name]?.definition ?? 0) > 0);
  const words = weights
    .map((weight, word) => ({
      text: vocabulary.words[word]?.text ?? '',
      worth: weight * Math.min(3, scan?.counts[word] ?? 0),
    }))
    .filter(({ worth }) => worth > 0)
    .sort((a, b) => b.worth - a.worth)
    .slice(0, mostListed)
    .map(({ text }) => text);
  const says: Readonly<Partial<Record<SignalName, string>>> = {
    paths: 'the task names it',
    phrases: 'has a text of the task as it is',
    names: defined.length > 0 ? `defines ${listed(defined)}` : `uses ${listed(named)}`,
    past: 'earlier commits about the same changed it',
    scope: 'lies where the task begins',
    ...(words.length > 0 && { words: `speaks of ${listed(words)}` }),
  };
  const strongest = (Object.keys(says) as SignalName[])
    .filter((name) => signals[name] > 0.1)
    .sort((a, b) => signalWeights[b] * signals[b] - signalWeights[a] * signals[a])
    .slice(0, mostSignals)
    .flatMap((name) => says[name] ?? []);
  return strongest.length > 0 ? strongest.join('; ') : 'its path fits';
}

const listed = (texts: readonly string[]): string => texts.slice(0, mostListed).join(', ');
