import { Registry, builtInEndpoints } from '@sextant/core';
import type { JsonSchema, Tool } from '@sextant/core';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadPreset } from '../support/preset.ts';
import { parameters, placement, placementUnless, results } from './contract.ts';

let registry: Registry;
let tools: Map<string, Tool>;
beforeAll(async () => {
  registry = new Registry({ plugins: await loadPreset() });
  tools = new Map((registry.list(builtInEndpoints.all) ?? []).map(({ name, tool }) => [name, tool]));
});

test('every tool of the preset is in the contract, and its parameters and results are written down', () => {
  for (const name of tools.keys()) {
    expect(Object.keys(placement)).toContain(name);
    expect(Object.keys(parameters)).toContain(name);
    expect(Object.keys(results)).toContain(name);
  }
});

describe('a tool stands on exactly the endpoints of the contract', () => {
  test.each(Object.entries(placement))('%s', (name, endpoints) => {
    const isLoaded = tools.has(name);
    const { endpoint: other, unless = '' } = placementUnless[name] ?? {};
    for (const endpoint of ['default', 'deepsearch'] as const) {
      const isPlaced = endpoints.includes(endpoint) || (endpoint === other && !tools.has(unless));
      expect(registry.find(builtInEndpoints[endpoint], name) !== undefined).toBe(isLoaded && isPlaced);
    }
    expect(registry.find(builtInEndpoints.v1, `sg_${name}`) !== undefined).toBe(isLoaded);
  });
});

/** A parameter as the contract writes it. */
function describeParameter(schema: JsonSchema, isRequired: boolean): string {
  const letters: Record<string, string> = { string: 's', integer: 'i', boolean: 'b' };
  const type = schema.type === 'array' ? `${letters[String(schema.items?.type)]}[]` : letters[String(schema.type)];
  const { minimum, maximum } = schema;
  const range =
    schema.type !== 'integer'
      ? ''
      : maximum === undefined
        ? ` ≥${String(minimum)}`
        : ` ${String(minimum)}–${String(maximum)}`;
  const fallback = schema['default'] === undefined ? '' : ` = ${JSON.stringify(schema['default'])}`;
  return `${type}${isRequired ? '!' : ''}${range}${fallback}`;
}

describe('a tool takes exactly the parameters of the contract', () => {
  test.each(Object.entries(parameters))('%s', (name, expected) => {
    const { properties = {}, required = [] } = tools.get(name)?.inputSchema ?? {};
    const found = Object.entries(properties).map(([property, schema]) => [
      property,
      describeParameter(schema, required.includes(property)),
    ]);
    expect(Object.fromEntries(found)).toEqual(expected);
  });
});

describe('a tool answers exactly the keys of the contract', () => {
  test.each(Object.entries(results))('%s', (name, expected) => {
    const { properties = {}, required = [] } = tools.get(name)?.outputSchema ?? {};
    expect(
      Object.keys(properties)
        .map((key) => (required.includes(key) ? key : `${key}?`))
        .join(' '),
    ).toBe(expected);
  });
});
