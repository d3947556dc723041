import { parentPort } from 'node:worker_threads';
import { Expressions } from './expressions.ts';
import { matchFile } from './match-file.ts';
import { matchPaths } from './match-paths.ts';
import type { MatchRequest } from './protocol.ts';

/** An expression can take for ever: whoever asks ends the thread then. */
parentPort?.on('message', (request: MatchRequest) => parentPort?.postMessage(answer(request, new Expressions())));

function answer(request: MatchRequest, expressions: Expressions): unknown {
  switch (request.kind) {
    case 'names':
      return request.sources.map((source) => request.names.map((name) => expressions.get(source).test(name)));
    case 'paths':
      return matchPaths(request.query, request.paths, expressions);
    case 'files':
      return request.files.flatMap((file) => matchFile(request.search, file, expressions) ?? []);
  }
}
