import type { z } from 'zod';
import { parseArguments } from '../calls/arguments.ts';
import { fn, plainObject, shapeOf, text, texts, wireName } from '../plugins/shape.ts';
import { toJsonSchema } from './json-schema.ts';
import type { JsonSchema } from './json-schema.ts';
import { requireWireName } from './resource.ts';

export interface PromptDefinition<I extends z.ZodObject> {
  /** Wire name, in snake_case. */
  name: string;
  title: string;
  /** One sentence that tells a person what they get. */
  description: string;
  /** Texts, each with a description: the protocol has no other arguments. */
  input: I;
  /** The tools that the text names: the prompt is listed on endpoints that list all of them. */
  withTools: readonly string[];
  /** What is said to the model in the user's name. */
  text(input: z.output<I>): string;
}

/** A prompt with its types erased. Made by `definePrompt`. */
export interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly withTools: readonly string[];
  /** Throws `invalid_argument` that names each wrong argument. */
  text(given: unknown): string | Promise<string>;
}

export const promptShape = shapeOf<Prompt>('definePrompt', {
  name: wireName,
  title: text,
  description: text,
  inputSchema: plainObject,
  withTools: texts,
  text: fn,
});

/** Declares a prompt. Throws if its name is not snake_case, or an argument is no text or has no description. */
export function definePrompt<I extends z.ZodObject>(definition: PromptDefinition<I>): Prompt {
  const { name, title, description, withTools } = definition;
  requireWireName('prompt', name);
  const input = definition.input.strict();
  const inputSchema = toJsonSchema(input, 'input');
  for (const [argument, schema] of Object.entries(inputSchema.properties ?? {})) {
    if (schema.type !== 'string') throw new Error(`prompt ${name}: the argument "${argument}" must be a text`);
    if (!schema.description) throw new Error(`prompt ${name}: the argument "${argument}" has no description`);
  }
  // The one place where a prompt's types are erased.
  const erased = definition as unknown as Pick<Prompt, 'text'>;
  return {
    name,
    title,
    description,
    inputSchema,
    withTools,
    text: (given) => erased.text(parseArguments(input, inputSchema, given)),
  };
}
