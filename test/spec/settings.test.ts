import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runSextant } from '../support/processes.ts';

const pagePath = fileURLToPath(new URL('../../docs/settings.md', import.meta.url));

interface Schema {
  readonly description?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

interface Setting {
  readonly name: string;
  readonly schemas: readonly Schema[];
}

/** Their defaults follow from processors, descriptors or the heap of Node. */
const dependsOnMachine = new Set([
  'service-git.outputBytes',
  'service-git.treeEntries',
  'service-git.readers',
  'service-search-index.threads',
]);

test('docs/settings.md has every setting of the preset as the schema says it (UPDATE=1 writes it anew)', () => {
  const { plugins, ...server } = propertiesOf(JSON.parse(runSextant(['config', 'schema'])));
  const own = Object.entries(propertiesOf(plugins));
  const every = Object.entries(propertiesOf(plugins?.additionalProperties));
  expect(every.length).toBeGreaterThan(0);
  for (const [, plugin] of own) expect(propertiesOf(plugin)).toMatchObject(Object.fromEntries(every));
  const isOfEvery = new Set(every.map(([name]) => name));
  const tables: readonly (readonly [string, readonly Setting[]])[] = [
    ['server', settingsIn({ properties: server })],
    ['every plugin', settingsIn({ properties: Object.fromEntries(every) })],
    [
      'plugins',
      own.flatMap(([plugin, schema]) => {
        const properties = Object.entries(propertiesOf(schema)).filter(([name]) => !isOfEvery.has(name));
        return settingsIn({ properties: Object.fromEntries(properties) }, `${plugin}.`);
      }),
    ],
  ];
  const page = readFileSync(pagePath, 'utf8');
  const wanted = tables.reduce((text, [name, settings]) => {
    const section = new RegExp(`(<!-- ${name}: [^>]* -->\n)[\\s\\S]*?(<!-- /${name} -->)`);
    expect(text).toMatch(section);
    return text.replace(section, (_, begin: string, end: string) => begin + tableOf(settings) + end);
  }, page);
  if (process.env['UPDATE'] === '1') writeFileSync(pagePath, wanted);
  else expect(page).toBe(wanted);
});

function alternativesOf(schema: Schema): readonly Schema[] {
  return schema.anyOf ?? schema.oneOf ?? [schema];
}

function propertiesOf(schema: Schema | boolean | undefined): Readonly<Record<string, Schema>> {
  if (typeof schema !== 'object') return {};
  return Object.assign({}, ...alternativesOf(schema).map(({ properties }) => properties));
}

/** The settings below a schema, each once, with all schemas that alternatives have for it. */
function settingsIn(schema: Schema, prefix = ''): readonly Setting[] {
  const found = new Map<string, Setting>();
  const add = (name: string, schemas: readonly Schema[]): void => {
    found.set(name, { name, schemas: [...(found.get(name)?.schemas ?? []), ...schemas] });
  };
  for (const alternative of alternativesOf(schema)) {
    for (const [name, property] of Object.entries(alternative.properties ?? {})) {
      add(prefix + name, [property]);
      for (const below of settingsIn(property, `${prefix}${name}.`)) add(below.name, below.schemas);
    }
    const { items, additionalProperties } = alternative;
    const parent = prefix.slice(0, -1);
    if (items) for (const { name, schemas } of settingsIn(items, `${parent}[].`)) add(name, schemas);
    if (typeof additionalProperties !== 'object') continue;
    for (const { name, schemas } of settingsIn(additionalProperties, `${prefix}NAME.`)) add(name, schemas);
  }
  return [...found.values()];
}

function tableOf(settings: readonly Setting[]): string {
  const rows = settings.map(({ name, schemas }) => {
    const meaning = distinct(schemas.map(({ description = '' }) => description)).join('; or: ');
    const range = distinct(schemas.map((schema) => rangeOf(schema, name))).join(' or ');
    const first = dependsOnMachine.has(name) ? undefined : schemas[0]?.default;
    const value = first === undefined ? '' : valueOf(first, name);
    return `| \`${name}\` | ${meaning.replaceAll('|', '\\|')} | ${range} | ${value} |\n`;
  });
  return `| setting | meaning | allowed | default |\n|---|---|---|---|\n${rows.join('')}`;
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].filter((text) => text !== '');
}

function rangeOf(schema: Schema, name: string): string {
  const { minimum, exclusiveMinimum, maximum = Number.MAX_SAFE_INTEGER } = schema;
  if (schema.const !== undefined) return valueOf(schema.const, name);
  if (schema.enum) return schema.enum.map((each) => valueOf(each, name)).join(', ');
  const alternatives = alternativesOf(schema);
  if (alternatives[0] !== schema) return distinct(alternatives.map((each) => rangeOf(each, name))).join(' or ');
  if (schema.type === 'boolean') return '`true`, `false`';
  if (schema.type === 'array') return 'a list';
  if (schema.type === 'object') return 'an object';
  const least = minimum ?? exclusiveMinimum;
  if (least === undefined) return schema.type === 'string' ? 'a text' : '';
  const from = minimum === undefined ? `more than ${valueOf(least, name)}` : valueOf(least, name);
  if (maximum !== Number.MAX_SAFE_INTEGER) return `${from} to ${valueOf(maximum, name)}`;
  return minimum === undefined ? from : `${from} or more`;
}

function valueOf(value: unknown, name: string): string {
  if (typeof value !== 'number') return `\`${JSON.stringify(value).replaceAll(/^"|"$/g, '')}\``;
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  const power = /(?<!mega)bytes/i.test(name)
    ? units.findLastIndex((_, index) => value > 0 && value % 1024 ** (index + 1) === 0)
    : -1;
  return power < 0 ? String(value) : `${value / 1024 ** (power + 1)} ${units[power]}`;
}
