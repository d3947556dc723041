import { answerCalls } from '@sextant/library-workers/thread';
import { Arena, Workspace } from '@sextant/library-block-index';
import { HistoryPatterns } from '../request/patterns.ts';
import { TextIndexes } from '../snapshot/text-indexes.ts';
import type { SearchCalls } from './thread-calls.ts';
import { SearchServer } from './search-server.ts';

/** Address space. Only what is touched takes memory. */
const arenaBytes = 1 << 30;
/** Bytes for block indexes and their caches. The rest is for the searches themselves. */
const textBytes = 768 << 20;

const workspace = new Workspace(Arena.create(arenaBytes));
const server = new SearchServer({
  workspace,
  patterns: new HistoryPatterns(workspace),
  texts: new TextIndexes(workspace, textBytes),
});

answerCalls<SearchCalls>({
  search: (job) => server.search(job),
  open: (set) => server.open(set),
  outline: (told) => server.outline(told),
  dropOutlines: (folder) => server.dropOutlines(folder),
  people: (asked) => server.people(asked),
  unreached: (asked) => server.unreached(asked),
  forget: (folder) => server.forget(folder),
});
