import type { z } from 'zod';

/** A method of a node: what it is given, and what it answers. Both sides check both. */
export interface Method {
  readonly args: z.ZodType;
  readonly result: z.ZodType;
  /** Whether it answers any number of results, one after the other. */
  readonly isStream: boolean;
}

/** By their names, which are the paths of the protocol. */
export type Methods = Readonly<Record<string, Method>>;

export type ArgumentsOf<M extends Method> = z.output<M['args']>;

/** What one frame of an answer has. */
export type AnswerOf<M extends Method> = z.output<M['result']>;
