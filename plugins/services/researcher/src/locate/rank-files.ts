import type { Search } from '@sextant/contracts';
import { findCandidates } from './candidates.ts';
import { pastWork } from '../ranking/history.ts';
import { endsOf, mentionedFiles } from '../repository/mentioned-files.ts';
import type { MentionedFile } from '../repository/mentioned-files.ts';
import type { PastCommits } from '../repository/past-commits.ts';
import type { Snapshot } from './localiser.ts';
import type { Texts } from '../repository/texts.ts';
import type { SomeFiles, Tree, TreeFile, Trees } from '../repository/trees.ts';
import type { ReadTask } from '../task/read-task.ts';
import type { Evidence, Ranking } from '../threads/research-steps.ts';
import type { ResearchThreads } from '../threads/research-threads.ts';
import { cutHistory } from '../work.ts';
import type { Work } from '../work.ts';

export interface Sources {
  readonly search: Search;
  readonly texts: Texts;
  readonly trees: Trees;
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
  const { repo, commit } = snapshot;
  const [{ paths: matching, ...found }, commits] = await Promise.all([
    findCandidates(sources.search, snapshot, { read, work }),
    work.call(async (signal) => {
      if (await sources.pastCommits.beginsLate(repo, signal)) work.note(cutHistory);
      return sources.pastCommits.before(repo, commit, signal);
    }),
  ]);
  const past = await pastWork(commits ?? [], read.words);
  const changed = [...past.said]
    .sort(([a, first], [b, second]) => second - first || (a < b ? -1 : 1))
    .map(([path]) => path);
  const paths = [...changed.slice(0, mostOfPast), ...matching];
  const { files, fileCount, mentioned } = await chooseFiles(sources.trees, snapshot, { paths, read, work });
  // What a search found is there, and is worth telling even if the files could not be listed in time.
  const chosen = fileCount > 0 ? [...files.keys()] : matching.slice(0, mostCandidates);
  work.step(`reading ${chosen.length} files of ${repo}`);
  const texts = await work.call((signal) => sources.texts.read({ repo, files }, chosen, signal));
  const among = new Set(chosen);
  return {
    read,
    fileCount,
    found: { ...found, phrases: onlyOf(found.phrases, among), phraseLines: onlyOf(found.phraseLines, among) },
    past: { said: onlyOf(past.said, among), lastChanged: onlyOf(past.lastChanged, among) },
    mentioned: onlyOf(mentioned, among),
    texts: texts ?? new Map(),
    paths: chosen,
  };
}

/** Files to be compared, and those of them that the task names. */
interface ChosenFiles extends SomeFiles {
  readonly mentioned: ReadonlyMap<string, MentionedFile>;
}

/** The files that the task names, then those of the paths that are there; of a commit with too many files for a list only names from its root. */
async function chooseFiles(
  trees: Trees,
  snapshot: Snapshot,
  { paths, read, work }: { paths: readonly string[]; read: ReadTask; work: Work },
): Promise<ChosenFiles> {
  const from = async (tree: Tree, fileCount: number): Promise<ChosenFiles> => {
    const mentioned = await mentionedFiles(read.paths, tree);
    const all = [...new Set([...[...mentioned.keys()].slice(0, mostOfPast), ...paths])];
    const files = new Map(all.flatMap((path) => filesAt(tree, path)).slice(0, mostCandidates));
    return { files, fileCount, mentioned };
  };
  const none: ChosenFiles = { files: new Map(), fileCount: 0, mentioned: new Map() };
  const chosen = await work.call(async (signal): Promise<ChosenFiles> => {
    const whole = await trees.whole(snapshot, (tree) => from(tree, tree.size), signal);
    if (whole) return whole;
    const named = read.paths.flatMap(({ path }) => endsOf(path));
    const { files, fileCount } = await trees.some(snapshot, [...new Set([...named, ...paths])], signal);
    work.note(
      `${snapshot.repo} has ${fileCount} files at this commit, too many to look through: only files that searches and earlier commits led to were compared, and paths that the task names in full.`,
    );
    return from(files, fileCount);
  });
  return chosen ?? none;
}

const filesAt = (tree: Tree, path: string): [string, TreeFile][] => {
  const file = tree.get(path);
  return file ? [[path, file]] : [];
};

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
