import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { SextantError } from '@sextant/core';
import manifest from '../../package.json' with { type: 'json' };

export interface NewPlugin {
  /** Folder of the package. */
  readonly folder: string;
  /** Below it. */
  readonly files: readonly string[];
}

const nameForm = /^(@[a-z0-9][a-z0-9-]*\/)?[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/**
 * Writes a package with one tool that works, and a test of it, into a folder named like the package. Throws
 * `invalid_argument` for a name that no package may have, and `conflict` when the folder has files.
 */
export async function newPlugin(name: string, below: string): Promise<NewPlugin> {
  if (!nameForm.test(name))
    throw new SextantError(
      'invalid_argument',
      `"${name}" must be small letters, digits and dashes, with a scope or without, such as tool-tickets or @acme/tool-tickets`,
    );
  const plugin = name.slice(name.indexOf('/') + 1);
  const folder = resolve(below, plugin);
  const taken = await readdir(folder).catch(() => []);
  if (taken.length > 0) throw new SextantError('conflict', `${folder} is not empty; choose another name or folder`);
  const files = filesOf(name, plugin);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return { folder, files: Object.keys(files) };
}

const filesOf = (name: string, plugin: string): Record<string, string> => ({
  'package.json': packageJson(name),
  'README.md': readme(plugin),
  'src/index.ts': source(plugin),
  'src/index.test.ts': test(plugin),
});

/** `tool-line-count` brings the tool `line_count`, the value `lineCount`. */
const toolName = (plugin: string): string => plugin.replace(/^tool-(?=.)/, '').replaceAll('-', '_');
const valueName = (plugin: string): string =>
  toolName(plugin).replace(/_([a-z0-9])/g, (_whole, letter: string) => letter.toUpperCase());

const packageJson = (name: string): string =>
  `${JSON.stringify(
    {
      name,
      version: '0.1.0',
      description: 'A tool for Sextant',
      type: 'module',
      exports: { '.': './src/index.ts' },
      engines: manifest.engines,
      keywords: ['sextant-plugin'],
      scripts: { test: 'sextant plugin check .' },
      peerDependencies: { '@sextant/contracts': '^0.1.0', '@sextant/core': '^0.1.0', zod: '^4.0.0' },
    },
    null,
    2,
  )}\n`;

const readme = (plugin: string): string => `# ${plugin}

Tells how many lines and characters a file has, and how long its longest line is.

Name it in the configuration, by its path or, once it is installed, by the name of its package:

\`\`\`yaml
plugins:
  ./${plugin}: {}
\`\`\`

\`sextant plugin check .\` runs its tests and the checks that every plugin should pass.
`;

const source = (plugin: string): string => `import { Repositories, path, repo, revision } from '@sextant/contracts';
import { definePlugin, defineTool } from '@sextant/core';
import { z } from 'zod';

export const ${valueName(plugin)} = defineTool({
  name: '${toolName(plugin)}',
  title: 'Measure a file',
  description: 'Number of lines and characters of a file, and its longest line, at any revision.',
  // On /.api/mcp/all always; 'default' would add it to /.api/mcp.
  endpoints: [],
  // What it needs arrives in run; repositories are opened as the caller, so that nothing hidden can be read.
  needs: { repositories: Repositories },
  input: z.object({ repo, path, revision }),
  output: z.object({ lines: z.int(), characters: z.int(), longestLine: z.int() }),
  async run({ repo: name, path: file, revision: wanted }, { repositories }, { caller, signal }) {
    const repository = await repositories.open(caller, name);
    const commit = await repository.resolve(wanted, signal);
    const { text, lineStarts } = await repository.readText(commit, file, signal);
    const lengths = lineStarts.map((start, index) => (lineStarts[index + 1] ?? text.length) - start);
    return { lines: lineStarts.length, characters: text.length, longestLine: Math.max(0, ...lengths) };
  },
  toText: ({ lines, characters, longestLine }) =>
    \`\${lines} lines, \${characters} characters, the longest line has \${longestLine}\`,
});

export default definePlugin({ name: '${plugin}', tools: [${valueName(plugin)}] });
`;

const test = (plugin: string): string => `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runTool } from '@sextant/core/testing';
import { ${valueName(plugin)} } from './index.ts';

/** One repository with one file of two lines. */
const repositories = {
  open: async () => ({
    resolve: async () => 'c'.repeat(40),
    readText: async () => ({ text: 'one\\nthree\\n', lineStarts: [0, 4] }),
  }),
};

test('a file is measured', async () => {
  const input = { repo: 'shop', path: 'a.txt' };
  const { structured, text } = await runTool(${valueName(plugin)}, { input, services: { repositories } });
  assert.deepEqual(structured, { lines: 2, characters: 10, longestLine: 6 });
  assert.equal(text, '2 lines, 10 characters, the longest line has 6');
});
`;
