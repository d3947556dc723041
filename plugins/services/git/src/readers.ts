import type { Logger } from '@sextant/core';
import { BlameReader } from './objects/blame-reader.ts';
import { Comparer } from './comparison/comparer.ts';
import { LineTracer } from './comparison/line-tracer.ts';
import { CommitReader } from './objects/commit-reader.ts';
import type { ComparisonLimits } from './comparison/compared-trees.ts';
import type { GitConfig } from './config.ts';
import { GitProgram } from './process/git-process.ts';
import { ObjectReader } from './objects/object-reader.ts';
import { RefCommits } from './refs/ref-lister.ts';
import { RefLister } from './refs/ref-lister.ts';
import { RefTargets } from './refs/ref-targets.ts';
import { RevisionResolver } from './refs/revision-resolver.ts';
import { TextReader } from './objects/text-reader.ts';
import { TreeReader } from './objects/tree-reader.ts';

/** The readers that all repositories share. */
export interface Readers {
  readonly revisions: RevisionResolver;
  readonly commits: CommitReader;
  readonly trees: TreeReader;
  readonly texts: TextReader;
  readonly blame: BlameReader;
  readonly lines: LineTracer;
  readonly refs: RefLister;
  readonly refCommits: RefCommits;
  readonly comparer: Comparer;
  readonly objects: ObjectReader;
  readonly log: Logger;
  close(): void;
}

/** Most of the time that a call has is left for what is shown. */
const comparisonLimits = ({ treeEntries, treePathBytes, commandSeconds }: GitConfig): ComparisonLimits => ({
  entries: treeEntries,
  pathBytes: treePathBytes,
  seconds: 10,
  commandSeconds,
});

export function openReaders(settings: GitConfig, log: Logger): Readers {
  const { commandsAtOnce: processes, commandSeconds: seconds, silentSeconds, outputBytes } = settings;
  const git = new GitProgram({ processes, seconds, silentSeconds, outputBytes });
  const objects = new ObjectReader({ processes: settings.readers, idleSeconds: settings.readerIdleSeconds });
  // Most of the memory is for files, which are asked for most.
  const share = Math.floor(settings.cacheBytes / 8);
  const trees = new TreeReader(objects, 2 * share);
  const commits = new CommitReader(objects);
  const targets = new RefTargets({ git, objects, commits });
  const texts = new TextReader(objects, trees, 5 * share);
  return {
    revisions: new RevisionResolver(objects),
    commits,
    trees,
    texts,
    blame: new BlameReader(git, texts),
    lines: new LineTracer(git, texts),
    refs: new RefLister(git, targets),
    refCommits: new RefCommits(git, targets),
    comparer: new Comparer({ git, trees, objects, limits: comparisonLimits(settings), cacheBytes: share }),
    objects,
    log,
    close: () => objects.close(),
  };
}
