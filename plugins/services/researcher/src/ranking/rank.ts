import type { PathClass } from '@sextant/library-search-results';
import { reasonOf } from '../reasons.ts';
import type { Evidence, Ranking } from '../threads/protocol.ts';
import { fileKind } from './file-kind.ts';
import { inverseFrequency } from './history.ts';
import { scan } from './scan.ts';
import type { Scan } from './scan.ts';
import { nameSignal, namesSignal, scopeSignal, wordsSignal } from './signals.ts';
import { signalWeights } from './signal-weights.ts';
import type { SignalName, Signals } from './signal-weights.ts';
import type { WordWeights } from './signals.ts';
import { Vocabulary } from './vocabulary.ts';

/** Evidence, and the words that files are compared with. */
type Compared = Evidence & { readonly vocabulary: Vocabulary };

/** Files of which it is said why they are there. */
const mostExplained = 10;

/** Questions are about what is there, not about what changes. */
const questionWeights: Readonly<Record<SignalName, number>> = { ...signalWeights, past: 0.2, recency: 0 };

const prior: Readonly<Record<PathClass, number>> = {
  source: 1,
  test: 0.15,
  documentation: 0.15,
  configuration: 0.15,
  example: 0.15,
  generated: 0.1,
  declaration: 1,
};
/** Of a kind that the task asks for. */
const wantedPrior = 0.7;

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
    return { path, scan: scans.get(path), signals: shares, score: sum * priorOf(path, evidence) };
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
function priorOf(path: string, { read, mentioned }: Evidence): number {
  const kind = fileKind(path);
  if (mentioned.get(path)?.share === 1) return prior.source;
  return read.wanted.has(kind) ? Math.max(wantedPrior, prior[kind]) : prior[kind];
}

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
