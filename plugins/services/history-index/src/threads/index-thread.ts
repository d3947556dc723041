import { answerCalls } from '@sextant/library-workers/thread';
import { IngestServer } from './ingest-server.ts';
import type { IngestCalls } from './thread-calls.ts';

const server = new IngestServer();

answerCalls<IngestCalls>({
  read: (part) => server.read(part),
  end: (ended) => server.end(ended),
  append: (part) => server.append(part),
  finish: (name) => server.finish(name),
  merge: (shards) => server.merge(shards),
  drop: (unwanted) => server.drop(unwanted),
  prune: (asked) => server.prune(asked),
});
