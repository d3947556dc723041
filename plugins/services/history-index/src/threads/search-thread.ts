import { answerCalls } from '@sextant/library-workers/thread';
import { Arena, Workspace } from '@sextant/library-block-index';
import { HistoryPatterns } from '../request/patterns.ts';
import { TextIndexes } from '../loaded/text-indexes.ts';
import { SearchServer } from './search-server.ts';

/** Address space. Only what is touched takes memory. */
const arenaBytes = 1 << 30;
/** Bytes for block indexes and their caches. The rest is for the searches themselves. */
const textBytes = 768 << 20;

const workspace = new Workspace(Arena.create(arenaBytes));
const patterns = new HistoryPatterns(workspace);

answerCalls(new SearchServer({ workspace, patterns, texts: new TextIndexes(workspace, textBytes) }));
