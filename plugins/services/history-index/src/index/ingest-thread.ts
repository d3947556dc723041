import { answerCalls } from './calls.ts';
import { IngestServer } from './ingest-server.ts';
import type { IngestCalls } from './protocol.ts';

const server = new IngestServer();

answerCalls<IngestCalls>({
  read: (part) => server.read(part),
  end: (ended) => server.end(ended),
  write: (shard) => server.write(shard),
  merge: (shards) => server.merge(shards),
  drop: (runs) => server.drop(runs),
});
