import type { BlobBatch } from '@sextant/contracts';
import { Thread } from '@sextant/library-workers';
import type { BlobOutput } from './repository-reader.ts';
import type { BuildCalls } from './build-thread.ts';
import type { IsOver } from './shared-index.ts';

export interface BuildOptions {
  readonly folder: string;
  /** The number of the first shard; more follow where the text is too much for one. */
  readonly number: number;
  /** Its batches are transferred to the thread. */
  readonly output: BlobOutput;
  /** Where it is, the build ends after the next blob. */
  readonly isOver: IsOver;
  /** Told how many more objects are done. */
  readonly onObjects: (count: number) => void;
}

export interface BuiltShards {
  readonly names: readonly string[];
  /** Blobs that are to be built yet. */
  readonly left: readonly string[];
}

/** Of the heap of a thread: more than the files of a repository need that the index accepts. */
const defaultHeapMegabytes = 2048;

/** Batches that may be sent to a thread before it has added them. */
const mostAhead = 2;

/** A thread without work for this time ends, and gives its memory back. */
const idleMs = 5000;

type BuildThread = Thread<BuildCalls>;

/** Threads that build shards. They are started when they are needed, and end when they are idle. */
export class BuildThreads {
  readonly #heapMegabytes: number;
  /** Whether each builds now. */
  readonly #threads = new Map<BuildThread, boolean>();

  constructor(heapMegabytes = defaultHeapMegabytes) {
    this.#heapMegabytes = heapMegabytes;
  }

  /** Builds shards. Nothing is left of them when the batches fail. */
  async build(options: BuildOptions): Promise<BuiltShards> {
    const [free] = [...this.#threads].flatMap(([thread, isBusy]) => (isBusy ? [] : [thread]));
    const thread = free ?? this.#start();
    this.#threads.set(thread, true);
    try {
      return await thread.during(() => buildIn(thread, options));
    } finally {
      // One that died of a repository that is too much for it is not used again.
      if (this.#threads.has(thread)) this.#threads.set(thread, false);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#threads.keys()].map((thread) => thread.close()));
  }

  #start(): BuildThread {
    const module = new URL('./build-thread.ts', import.meta.url);
    const onEnd = (): void => void this.#threads.delete(thread);
    const thread: BuildThread = new Thread({ module, heapMegabytes: this.#heapMegabytes, idleMs, onEnd });
    return thread;
  }
}

async function buildIn(thread: BuildThread, options: BuildOptions): Promise<BuiltShards> {
  const { folder, number } = options;
  await thread.call('begin', { folder, number });
  try {
    const left = await send(thread, options);
    return { names: await thread.call('finish', undefined), left };
  } catch (error) {
    if (!thread.hasEnded) await thread.call('abandon', undefined);
    throw error;
  }
}

/** Answers which blobs of an output are left because others have their turn. */
async function send(
  thread: BuildThread,
  { output: { ids, batches }, isOver, onObjects }: BuildOptions,
): Promise<readonly string[]> {
  const add = async (batch: BlobBatch): Promise<void> => {
    const { length } = batch.ids;
    await thread.call('add', batch, { transfer: [batch.bytes.buffer] });
    onObjects(length);
  };
  let done = 0;
  const sent: Promise<void>[] = [];
  for await (const batch of batches) {
    await sent.at(-mostAhead);
    done += batch.ids.length;
    const added = add(batch);
    // The error is thrown where this batch, or the end, is awaited.
    added.catch(() => undefined);
    sent.push(added);
    if (isOver()) break;
  }
  await Promise.all(sent.slice(-mostAhead));
  return ids.slice(done);
}
