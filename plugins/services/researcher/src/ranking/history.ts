import { bm25Weights, inverseFrequency, wordScore } from '@sextant/library-ranking';
import { turn } from '../turn.ts';
import type { PastCommit } from '../repository/past-commits.ts';
import type { TaskWord } from '../task/read-task.ts';

const considered = 100;
/** Commits that are looked at before others get the event loop. */
const commitsAtOnce = 200;

/** What earlier commits say of files. */
export interface PastWork {
  /** Per file: how much the messages of commits that changed it say of the task. */
  readonly said: ReadonlyMap<string, number>;
  /** Per file: 0 for the one that was changed last. */
  readonly lastChanged: ReadonlyMap<string, number>;
}

/** `commits` are the newest first. A message that says much of the task speaks for the files of its commit, less with age. */
export async function pastWork(commits: readonly PastCommit[], words: readonly TaskWord[]): Promise<PastWork> {
  const scores = await scoresOf(commits, words);
  const best = [...scores.entries()]
    .filter(([, score]) => score > 0)
    .sort(([a, first], [b, second]) => second - first || a - b)
    .slice(0, considered);
  const squares = new Map<string, number>();
  for (const [rank, score] of best) {
    const paths = commits[rank]?.paths ?? [];
    const gain = (score ** 2 / Math.sqrt(Math.max(1, paths.length))) * (0.3 + 0.7 * Math.exp(-rank / 500));
    for (const path of paths) squares.set(path, (squares.get(path) ?? 0) + gain);
  }
  const lastChanged = new Map<string, number>();
  for (const [index, { paths }] of commits.entries()) {
    if (index % commitsAtOnce === 0) await turn.share();
    for (const path of paths) if (!lastChanged.has(path)) lastChanged.set(path, lastChanged.size);
  }
  return { said: new Map([...squares].map(([path, sum]) => [path, Math.sqrt(sum)])), lastChanged };
}

/** BM25 of each message. */
async function scoresOf(commits: readonly PastCommit[], words: readonly TaskWord[]): Promise<number[]> {
  const numbers = new Map(words.map(({ stem }, word) => [stem, word]));
  const counts: Map<number, number>[] = [];
  for (const [index, { stems }] of commits.entries()) {
    if (index % commitsAtOnce === 0) await turn.share();
    const found = new Map<number, number>();
    for (const stem of stems) {
      const word = numbers.get(stem);
      if (word !== undefined) found.set(word, (found.get(word) ?? 0) + 1);
    }
    counts.push(found);
  }
  const withWord = words.map(() => 0);
  for (const found of counts) for (const word of found.keys()) withWord[word] = (withWord[word] ?? 0) + 1;
  const weights = words.map(({ weight }, word) => weight * inverseFrequency(commits.length, withWord[word] ?? 0));
  const average = Math.max(1, commits.reduce((sum, { stems }) => sum + stems.length, 0) / Math.max(1, commits.length));
  return counts.map((found, index) => {
    const length = (commits[index]?.stems.length ?? 0) / average;
    let score = 0;
    for (const [word, body] of found)
      score += (weights[word] ?? 0) * wordScore({ name: 0, folder: 0, body }, length, bm25Weights.messages);
    return score;
  });
}
