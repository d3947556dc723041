import type { z } from 'zod';
import { fn, needsShape, shapeOf, text, texts, zodObject } from '../plugins/shape.ts';
import type { Needs, Resolved } from '../plugins/token.ts';

export interface CommandDefinition<I extends z.ZodObject, O extends z.ZodObject, N extends Needs> {
  /** The words after `sextant`: `token create`. */
  name: string;
  /** One line for `--help`. */
  summary: string;
  /** Options (`--kebab-case`); the properties named in `positionals` are arguments instead. */
  input: I;
  positionals?: readonly (keyof z.input<I> & string)[];
  needs: N;
  /** Every plugin that needs one of these services is started too: the command works on what all of them keep. */
  alsoStarts?: Needs;
  output: O;
  run(input: z.output<I>, services: Resolved<N>, io: CommandIo): Promise<z.input<O>>;
  /** What is printed without `--json`. */
  toText(output: z.output<O>): string;
}

/** What a command may use of the terminal besides its answer. */
export interface CommandIo {
  readonly signal: AbortSignal;
  /** One line from standard input, not echoed on a terminal. */
  readSecret(prompt: string): Promise<string>;
  /** Shows one line of how far it is on standard error, so that the answer can be piped. */
  showProgress(line: string): void;
}

/** A command with its types erased. Made by `defineCommand`. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly input: z.ZodObject;
  readonly positionals: readonly string[];
  readonly needs: Needs;
  readonly alsoStarts: Needs;
  readonly output: z.ZodObject;
  run(input: unknown, services: Resolved<Needs>, io: CommandIo): Promise<unknown>;
  toText(output: unknown): string;
}

export const commandShape = shapeOf<Command>('defineCommand', {
  name: text,
  summary: text,
  input: zodObject,
  positionals: texts,
  needs: needsShape,
  alsoStarts: needsShape,
  output: zodObject,
  run: fn,
  toText: fn,
});

/** Declares a command of the program. */
export const defineCommand = <I extends z.ZodObject, O extends z.ZodObject, N extends Needs>(
  definition: CommandDefinition<I, O, N>,
): Command =>
  // The one place where a command's types are erased.
  ({ positionals: [], alsoStarts: {}, ...definition, input: definition.input.strict() }) as unknown as Command;
