import { Arena, Patterns, Workspace } from '@sextant/library-block-index';
import { answerRequests } from '@sextant/library-workers/thread';
import { FileQuery } from './file-query.ts';
import { arenaBytes } from './matcher.ts';
import type { MatchRequest } from './matcher.ts';
import { TextMatcher } from './text-matcher.ts';
import type { RatedFile } from './text-matcher.ts';

const workspace = new Workspace(Arena.create(arenaBytes));
const patterns = new Patterns(workspace);
const matcher = new TextMatcher(workspace);

answerRequests<MatchRequest, RatedFile[]>(async ({ query, ...texts }, isCanceled) =>
  isCanceled() ? [] : matcher.match(new FileQuery(query, patterns), texts),
);
