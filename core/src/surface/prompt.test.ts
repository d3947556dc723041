import { expect, test } from 'vitest';
import { z } from 'zod';
import { definePrompt } from './prompt.ts';
import type { Prompt } from './prompt.ts';

const promptOf = (input: z.ZodObject, name = 'find_where'): Prompt =>
  definePrompt({
    name,
    title: 'Find where',
    description: 'Where something is.',
    input,
    withTools: ['code_finder'],
    text: (given) => `Find ${given['what']}.`,
  });

test('a prompt makes its text of checked arguments', () => {
  const prompt = promptOf(z.object({ what: z.string().min(3).describe('What to find') }));
  expect(prompt.text({ what: 'retries' })).toBe('Find retries.');
  expect(() => prompt.text({})).toThrow('Missing argument "what".');
  expect(() => prompt.text({ what: 'a' })).toThrow('Argument "what"');
  expect(() => prompt.text({ what: 'abc', where: 'x' })).toThrow('Unknown argument "where".');
});

test('a prompt that clients could not rely on is refused where it is declared', () => {
  const what = z.string().describe('What to find');
  expect(() => promptOf(z.object({ what }), 'find-where')).toThrow('prompt name "find-where" must be snake_case');
  expect(() => promptOf(z.object({ what: z.int().describe('How many') }))).toThrow('"what" must be a text');
  expect(() => promptOf(z.object({ what: z.string() }))).toThrow('"what" has no description');
});
