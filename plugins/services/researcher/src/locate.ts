import type { Search } from '@sextant/contracts';
import { findCandidates } from './candidates.ts';
import { pastWork } from './ranking/history.ts';
import { mentionedFiles } from './repository/mentioned-files.ts';
import type { PastCommits } from './repository/past-commits.ts';
import type { Snapshot } from './repository/snapshot.ts';
import type { Texts } from './repository/texts.ts';
import type { ReadTask } from './task/read-task.ts';
import type { Evidence, Ranking } from './threads/protocol.ts';
import type { ResearchThreads } from './threads/research-threads.ts';
import type { Work } from './work.ts';

export interface Sources {
  readonly search: Search;
  readonly texts: Texts;
  readonly pastCommits: PastCommits;
  readonly threads: ResearchThreads;
}

/** Ranked files, and what they were ranked by. */
export interface RankedFiles extends Ranking {
  readonly evidence: Evidence;
}

/** Files that are read and compared. */
const mostCandidates = 360;
const mostOfPast = 80;

/** Everything that the ranking looks at. */
async function gather(
  sources: Sources,
  snapshot: Snapshot,
  { read, work }: { read: ReadTask; work: Work },
): Promise<Evidence> {
  const { repo, commit, tree } = snapshot;
  const [{ paths: matching, ...found }, commits] = await Promise.all([
    findCandidates(sources.search, snapshot, { read, work }),
    work.call((signal) => sources.pastCommits.before(repo, commit, signal)),
  ]);
  const past = await pastWork(commits ?? [], read.words);
  const changed = [...past.said]
    .sort(([a, first], [b, second]) => second - first || (a < b ? -1 : 1))
    .map(([path]) => path);
  const mentioned = await mentionedFiles(read.paths, tree);
  const all = [
    ...new Set([...[...mentioned.keys()].slice(0, mostOfPast), ...changed.slice(0, mostOfPast), ...matching]),
  ];
  const paths = all.filter((path) => tree.has(path)).slice(0, mostCandidates);
  work.step(`reading ${paths.length} files of ${repo}`);
  const texts = await work.call((signal) => sources.texts.read(snapshot, paths, signal));
  const among = new Set(paths);
  return {
    read,
    fileCount: tree.size,
    found: { ...found, phrases: onlyOf(found.phrases, among), phraseLines: onlyOf(found.phraseLines, among) },
    past: { said: onlyOf(past.said, among), lastChanged: onlyOf(past.lastChanged, among) },
    mentioned: onlyOf(mentioned, among),
    texts: texts ?? new Map(),
    paths,
  };
}

/** What another thread needs to know. */
const onlyOf = <T>(all: ReadonlyMap<string, T>, paths: ReadonlySet<string>): Map<string, T> =>
  new Map([...all].filter(([path]) => paths.has(path)));

export async function rankFiles(
  sources: Sources,
  snapshot: Snapshot,
  { read, work }: { read: ReadTask; work: Work },
): Promise<RankedFiles> {
  work.step(`searching ${snapshot.repo}`);
  const evidence = await gather(sources, snapshot, { read, work });
  const ranking = await sources.threads.rank(evidence, { caller: snapshot.caller, signal: work.signal });
  return { ...ranking, evidence };
}
