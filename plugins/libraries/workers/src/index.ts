export { BoundedWorker } from './bounded-worker.ts';
export { FairMutex } from './fair-mutex.ts';
export { WorkerPool } from './worker-pool.ts';
export type { RunOptions, WorkerPoolOptions } from './worker-pool.ts';
export { answerRequests } from './answer-requests.ts';
export type { Answered, IsCanceled } from './answer-requests.ts';
