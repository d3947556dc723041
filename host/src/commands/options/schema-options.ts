import type { JsonSchema } from '@sextant/core';
import { Option } from 'commander';
import type { Command } from 'commander';
import { UsageError } from './usage-error.ts';

/** The arguments of a command or tool: a JSON Schema, and which of its properties are written without a name. */
export interface Arguments {
  schema: JsonSchema;
  positionals: readonly string[];
}

/** Adds an option `--kebab-case` for each property, and an argument for each positional. */
export function addArguments(command: Command, { schema, positionals }: Arguments): Command {
  const required = new Set(schema.required);
  for (const name of positionals) {
    const isList = schema.properties?.[name]?.type === 'array';
    const shown = `${kebab(name)}${isList ? '...' : ''}`;
    command.argument(required.has(name) ? `<${shown}>` : `[${shown}]`, schema.properties?.[name]?.description ?? '');
  }
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    if (!positionals.includes(name)) addOption(command, name, { property, isRequired: required.has(name) });
  return command;
}

/** The typed options, converted to the types of the schema. Absent options are left out, so the schema gives defaults. */
export function readArguments(command: Command, { schema, positionals }: Arguments): Record<string, unknown> {
  const options: Record<string, unknown> = command.opts();
  const given = Object.keys(schema.properties ?? {}).map((name): [string, unknown] => {
    const position = positionals.indexOf(name);
    return [name, position >= 0 ? command.processedArgs[position] : options[camel(kebab(name))]];
  });
  return Object.fromEntries(
    given
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, typed(name, value, schema.properties?.[name])]),
  );
}

/** `--startLine` as the wire spells it becomes `--start-line` as the terminal does. */
export const withKebabOptions = (argv: readonly string[]): string[] =>
  argv.map((word) => word.replace(/^--[a-z]\w*(?==|$)/, kebab));

interface OptionOf {
  property: JsonSchema;
  isRequired: boolean;
}

function addOption(command: Command, name: string, { property, isRequired }: OptionOf): void {
  const flag = `--${kebab(name)}`;
  const description = [property.description ?? '', isRequired ? '(required)' : '', defaultOf(property)]
    .filter(Boolean)
    .join(' ');
  if (property.type === 'boolean') {
    command.option(flag, description);
    if (property['default'] === true) command.option(`--no-${kebab(name)}`);
    return;
  }
  const option = new Option(`${flag} <${placeholder(property)}>`, description);
  if (property.type === 'array')
    option.argParser((value: string, before: string[] | undefined) => [...(before ?? []), value]);
  command.addOption(option);
}

const defaultOf = (property: JsonSchema): string => {
  const value = property['default'];
  return value === undefined || (Array.isArray(value) && value.length === 0) ? '' : `(default: ${String(value)})`;
};

function placeholder(property: JsonSchema): string {
  const { type, items } = property;
  const values = property['enum'] ?? items?.['enum'];
  if (Array.isArray(values)) return values.join('|');
  return type === 'integer' || type === 'number' ? 'number' : 'text';
}

function typed(name: string, value: unknown, property: JsonSchema | undefined): unknown {
  if (Array.isArray(value)) return value.map((item) => typed(name, item, property?.items));
  if (typeof value !== 'string') return value;
  if (property?.type === 'array') return [typed(name, value, property.items)];
  if (property?.type !== 'integer' && property?.type !== 'number') return value;
  const number = Number(value);
  if (value.trim() === '' || Number.isNaN(number))
    throw new UsageError(`--${kebab(name)}: expected a number, got "${value}"`);
  return number;
}

/** A property's name as options are spelled. */
export const kebab = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replaceAll('_', '-');

/** As commander names the option. */
const camel = (name: string): string => name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
