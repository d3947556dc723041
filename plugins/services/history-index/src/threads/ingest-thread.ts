import { answerCalls } from '@sextant/library-workers/thread';
import { IngestServer } from './ingest-server.ts';

answerCalls(new IngestServer());
