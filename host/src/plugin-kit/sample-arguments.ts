import type { JsonSchema } from '@sextant/core';
import { sample } from './sample-server.ts';

/** Values that mean something in the sample, by the names that the contract spells alike in every tool. */
const byName: Readonly<Record<string, string>> = {
  repo: sample.open,
  repos: sample.open,
  path: 'src/greet.ts',
  query: 'greet',
  pattern: 'greet',
  symbol: 'greet',
  base: 'HEAD',
  head: 'HEAD',
  authors: 'Ada',
  task: `Change how greet says hello in ${sample.open}`,
  question: 'Where is greet?',
  script: 'return 1',
};

/** Arguments that a tool should accept: all that are required, and nothing else. */
export const sampleArguments = ({ properties = {}, required = [] }: JsonSchema): Record<string, unknown> =>
  Object.fromEntries(required.map((name) => [name, valueOf(name, properties[name] ?? {})]));

function valueOf(name: string, schema: JsonSchema): unknown {
  const { type, minimum } = schema;
  const choices = schema['enum'];
  if (Array.isArray(choices)) return choices[0];
  switch (type) {
    case 'array':
      return [valueOf(name, schema.items ?? {})];
    case 'object':
      return sampleArguments(schema);
    case 'boolean':
      return false;
    case 'integer':
    case 'number':
      return typeof minimum === 'number' ? minimum : 1;
    default:
      return byName[name] ?? 'greet';
  }
}
