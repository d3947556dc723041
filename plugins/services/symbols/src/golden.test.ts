import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { declarationOf, isVisible } from './answers/outline.ts';
import { builtInLanguages } from './languages/built-in-languages.ts';
import { LanguageTable } from './languages/language-table.ts';
import type { Definition, Import, Reference } from './parse/file-symbols.ts';
import { SyntaxReader } from './parse/syntax-reader.ts';

const folder = join(import.meta.dirname, 'golden');
const end = '.sample';
const samples = readdirSync(folder).filter((name) => name.endsWith(end));
const languages = new LanguageTable(builtInLanguages);

test('each language has a sample', () => {
  const sampled = samples.map((name) => languages.of(name.slice(0, -end.length))?.name);
  expect(new Set(sampled)).toEqual(new Set(builtInLanguages.map(({ name }) => name)));
});

test.each(samples)(
  'what %s defines, uses and imports is as its golden file says (UPDATE=1 writes it anew)',
  async (name) => {
    const golden = join(folder, name.replace(end, '.golden'));
    const found = await readingOf(name);
    if (process.env['UPDATE'] === '1') writeFileSync(golden, found);
    expect(found).toBe(readFileSync(golden, 'utf8'));
  },
);

async function readingOf(name: string): Promise<string> {
  const text = readFileSync(join(folder, name), 'utf8');
  const language = languages.of(name.slice(0, -end.length));
  const reader = language && (await SyntaxReader.load(language));
  const { definitions = [], references = [], imports = [] } = reader?.read(text, 60_000) ?? {};
  const lines = text.split('\n');
  const parts = [
    ['definitions', definitions.map((one) => definitionLine(one, lines))],
    ['references', references.map(referenceLine)],
    ['imports', imports.map(importLine)],
  ] as const;
  return parts.map(([title, all]) => `${[`# ${title}`, ...all].join('\n')}\n`).join('\n');
}

function definitionLine(definition: Definition, lines: readonly string[]): string {
  const { name, kind, line, startLine, endLine, container } = definition;
  const { signature, docs } = declarationOf(lines, definition);
  const range = startLine === endLine ? '' : ` of ${startLine}-${endLine}`;
  const place = container === undefined ? '' : ` in ${container}`;
  const title = `${line}${range}: ${isVisible(definition) ? '' : 'local '}${kind} ${name}${place}`;
  if (!isVisible(definition)) return title;
  return [title, `    ${signature}`, ...(docs === undefined ? [] : [`    # ${docs}`])].join('\n');
}

const referenceLine = ({ name, line, role, qualifier, isMember }: Reference): string =>
  `${line}: ${role} ${isMember ? `${qualifier ?? ''}.` : ''}${name}`;

const importLine = ({ module, kind, imported, local }: Import): string =>
  `${kind} ${[imported, local && `as ${local}`, module && `from ${module.replaceAll(/\s+/g, ' ')}`].filter(Boolean).join(' ')}`;
