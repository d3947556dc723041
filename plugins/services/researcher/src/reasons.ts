import type { Scan } from './ranking/scan.ts';
import { signalWeights } from './ranking/signal-weights.ts';
import type { SignalName, Signals } from './ranking/signal-weights.ts';
import type { Vocabulary } from './ranking/vocabulary.ts';
import type { WordWeights } from './ranking/signals.ts';

const most = 2;
const mostWords = 5;

/** Why a file is among the results: what weighed most in its score, in one sentence. */
export function reasonOf(
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
    .slice(0, mostWords)
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
    .slice(0, most)
    .flatMap((name) => says[name] ?? []);
  return strongest.length > 0 ? strongest.join('; ') : 'its path fits';
}

const listed = (texts: readonly string[]): string => texts.slice(0, mostWords).join(', ');
