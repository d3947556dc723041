export { Turns } from './turns.ts';
export { WorkerPool } from './worker-pool.ts';
export type { RunOptions, WorkerPoolOptions } from './worker-pool.ts';
export { answerRequests } from './answer-requests.ts';
export type { Answered, IsCanceled } from './answer-requests.ts';
