export type { Calls, IsCanceled } from './answer-calls.ts';
export { BoundedWorker } from './bounded-worker.ts';
export { FairMutex } from './fair-mutex.ts';
export { IndexQueue } from './index-queue.ts';
export type { IndexTurn } from './index-queue.ts';
export { RestartableThread, Thread, ThreadEndedError, ThreadError } from './thread.ts';
export type { ThreadEnd } from './thread.ts';
export { WorkerPool } from './worker-pool.ts';
export type { RunOptions, WorkerPoolOptions } from './worker-pool.ts';
