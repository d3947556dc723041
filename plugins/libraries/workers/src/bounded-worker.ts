import { Worker } from 'node:worker_threads';
import type { WorkerOptions } from 'node:worker_threads';

/** Milliseconds between two looks at the heap. */
const intervalMs = 50;
/** Milliseconds of work, since the last look, that are not worth another: a look wakes the thread. */
const restMs = 1;
/** Megabytes that the engine itself allows: no thread fills as much between two looks. */
const engineMegabytes = 4096;
/** Megabytes of new objects. Less makes searches collect garbage more often, more is memory that is seldom needed. */
const youngMegabytes = 32;

export interface BoundedWorkerOptions extends Omit<WorkerOptions, 'resourceLimits'> {
  /** Largest heap, garbage included. */
  readonly heapMegabytes: number;
}

/**
 * A worker that ends when its heap is larger than it may be, with an `error` event of the code
 * `ERR_WORKER_OUT_OF_MEMORY`. The limit of Node's `resourceLimits` does not suffice: where one large allocation
 * exceeds it, the engine aborts the whole process.
 */
export class BoundedWorker extends Worker {
  constructor(module: URL, { heapMegabytes, ...options }: BoundedWorkerOptions) {
    const resourceLimits = { maxOldGenerationSizeMb: engineMegabytes, maxYoungGenerationSizeMb: youngMegabytes };
    super(module, { ...options, resourceLimits });
    this.#watch(heapMegabytes * 2 ** 20);
  }

  #watch(mostBytes: number): void {
    let isLooking = false;
    let worked = 0;
    const look = async (): Promise<void> => {
      // Both are 0 before the event loop of the thread has begun.
      const { active, idle } = this.performance.eventLoopUtilization();
      if (isLooking || (idle > 0 && active - worked < restMs)) return;
      worked = active;
      isLooking = true;
      // Fails for a thread that has ended.
      const heap = await this.getHeapStatistics().catch(() => undefined);
      isLooking = false;
      if (!heap || heap.total_heap_size <= mostBytes) return;
      clearInterval(timer);
      void this.terminate();
      this.emit(
        'error',
        Object.assign(new Error('the heap of the thread is full'), { code: 'ERR_WORKER_OUT_OF_MEMORY' }),
      );
    };
    const timer = setInterval(() => void look(), intervalMs).unref();
    this.once('exit', () => clearInterval(timer));
  }
}
