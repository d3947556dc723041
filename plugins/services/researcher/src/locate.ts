import type { Search } from '@sextant/contracts';
import { findCandidates } from './candidates.ts';
import { pastWork } from './ranking/history.ts';
import { rank } from './ranking/rank.ts';
import type { Evidence, Ranking } from './ranking/rank.ts';
import { mentionedFiles } from './ranking/signals.ts';
import { Vocabulary } from './ranking/vocabulary.ts';
import type { PastCommits } from './repository/past-commits.ts';
import type { Snapshot } from './repository/snapshot.ts';
import type { Texts } from './repository/texts.ts';
import type { ReadTask } from './task/read-task.ts';
import type { Work } from './work.ts';

export interface Sources {
  readonly search: Search;
  readonly texts: Texts;
  readonly pastCommits: PastCommits;
}

/** Files that are read and compared. */
const mostCandidates = 360;
const mostOfPast = 80;

/** Everything that the ranking looks at. */
export async function gather(
  sources: Sources,
  snapshot: Snapshot,
  { read, work }: { read: ReadTask; work: Work },
): Promise<Evidence> {
  const vocabulary = new Vocabulary(read);
  const { repo, commit, tree } = snapshot;
  const [found, commits] = await Promise.all([
    findCandidates(sources.search, snapshot, { read, work }),
    work.call((signal) => sources.pastCommits.before(repo, commit, signal)),
  ]);
  const past = pastWork(commits ?? [], vocabulary);
  const changed = [...past.said]
    .sort(([a, first], [b, second]) => second - first || (a < b ? -1 : 1))
    .map(([path]) => path);
  const mentioned = mentionedFiles(read.paths, [...tree.keys()]);
  const all = [
    ...new Set([...[...mentioned.keys()].slice(0, mostOfPast), ...changed.slice(0, mostOfPast), ...found.paths]),
  ];
  const paths = all.filter((path) => tree.has(path)).slice(0, mostCandidates);
  work.step(`reading ${paths.length} files of ${repo}`);
  const texts = await work.call((signal) => sources.texts.read(snapshot, paths, signal));
  return { read, vocabulary, tree, found, past, mentioned, texts: texts ?? new Map(), paths };
}

export async function rankFiles(
  sources: Sources,
  snapshot: Snapshot,
  asked: { read: ReadTask; work: Work },
): Promise<Ranking> {
  asked.work.step(`searching ${snapshot.repo}`);
  const evidence = await gather(sources, snapshot, asked);
  return rank(evidence, asked.work.signal);
}
