import { AsyncLocalStorage } from 'node:async_hooks';

/** Takes the processor time that one call costs outside of the main thread: on threads, and in programs such as git. */
export interface ProcessorMeter {
  /** May be told more after the call has been answered. */
  add(milliseconds: number): void;
}

const current = new AsyncLocalStorage<ProcessorMeter | undefined>();

/** Does work whose processor time is for this meter; undefined for work that is for all callers, such as indexing. */
export const metered = <T>(meter: ProcessorMeter | undefined, work: () => T): T => current.run(meter, work);

/** The meter of the call that is being answered. Whoever has work done elsewhere asks for it before, and tells it after. */
export const currentMeter = (): ProcessorMeter | undefined => current.getStore();
