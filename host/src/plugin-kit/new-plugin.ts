import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { SextantError } from '@sextant/core';
import manifest from '../../package.json' with { type: 'json' };
import { kinds } from './plugin-kinds.ts';
import type { Kind, PluginKind } from './plugin-kinds.ts';

export interface NewPlugin {
  /** Folder of the package. */
  readonly folder: string;
  /** Below it. */
  readonly files: readonly string[];
}

const nameForm = /^(@[a-z0-9][a-z0-9-]*\/)?[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/**
 * Writes a package that can be published, with a plugin that works and its test, into a folder named like the package.
 * Throws `invalid_argument` for a name that no package may have, and `conflict` when the folder has files.
 */
export async function newPlugin(name: string, kind: PluginKind, below: string): Promise<NewPlugin> {
  if (!nameForm.test(name))
    throw new SextantError(
      'invalid_argument',
      `"${name}" must be small letters, digits and dashes, with a scope or without, such as tool-tickets or @acme/tool-tickets`,
    );
  const plugin = name.slice(name.indexOf('/') + 1);
  const folder = resolve(below, plugin);
  const taken = await readdir(folder).catch(() => []);
  if (taken.length > 0) throw new SextantError('conflict', `${folder} is not empty; choose another name or folder`);
  const files: Record<string, string> = { ...filesAround(name, plugin, kinds[kind]), ...(await code(plugin, kind)) };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return { folder, files: Object.keys(files) };
}

/** The example of the kind, under the name of the new plugin. */
async function code(plugin: string, kind: PluginKind): Promise<Record<string, string>> {
  const read = (file: string): Promise<string> =>
    readFile(new URL(`../../examples/${kind}/${file}`, import.meta.url), 'utf8');
  const [source, test] = await Promise.all([read('index.ts'), read('index.test.ts')]);
  const own = ownName(plugin, kinds[kind]);
  const isTaken = [camel(own), pascal(own)].some((name) => hasWord(source + test, name) || reserved.has(name));
  const written = (text: string): string =>
    renamed(text, plugin, { ...kinds[kind], words: isTaken ? `${own}-${kind}` : own });
  return { 'src/index.ts': written(source), 'src/index.test.ts': written(test) };
}

/** A text with the names of the new plugin where the example has its own. */
function renamed(text: string, plugin: string, { prefix, example, words }: Named): string {
  const own = ownName(plugin, { prefix });
  return text
    .replaceAll(`${prefix}-${example}`, plugin)
    .replaceAll(example, own)
    .replaceAll(snake(example), snake(own))
    .replaceAll(camel(example), camel(words))
    .replaceAll(pascal(example), pascal(words));
}

interface Named extends Pick<Kind, 'prefix' | 'example'> {
  /** Of which the names in the code are made. */
  words: string;
}

const ownName = (plugin: string, { prefix }: Pick<Kind, 'prefix'>): string =>
  plugin.startsWith(`${prefix}-`) ? plugin.slice(prefix.length + 1) : plugin;

const reserved = new Set(
  'await break case catch class const continue debugger default delete do else enum export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof var void while with yield'.split(
    ' ',
  ),
);

const hasWord = (text: string, word: string): boolean => new RegExp(`\\b${word}\\b`).test(text);

/** `line-count` as a wire name, a value and a type. */
const snake = (name: string): string => name.replaceAll('-', '_');
const camel = (name: string): string => name.replace(/-([a-z0-9])/g, (_whole, letter: string) => letter.toUpperCase());
const pascal = (name: string): string => camel(`-${name}`);

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;

const filesAround = (name: string, plugin: string, kind: Kind): Record<string, string> => ({
  'package.json': json(packageJson(name, kind)),
  'tsconfig.json': json({
    compilerOptions: {
      target: 'es2023',
      module: 'nodenext',
      types: ['node'],
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      // Node runs the source as it is, and the build names the built files.
      erasableSyntaxOnly: true,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: true,
    },
    include: ['src'],
  }),
  'tsconfig.build.json': json({
    extends: './tsconfig.json',
    compilerOptions: { noEmit: false, declaration: true, rootDir: 'src', outDir: 'dist' },
    exclude: ['src/**/*.test.ts'],
  }),
  'README.md': readme(name, plugin, kind),
  LICENSE: license(plugin),
  '.gitignore': 'node_modules/\ndist/\n*.tgz\n',
  '.github/workflows/ci.yml': workflow,
});

function packageJson(name: string, { purpose, settings, dependencies }: Kind): object {
  const checked = settings ? ` --settings ${JSON.stringify(JSON.stringify(settings))}` : '';
  const ours = `^${manifest.version}`;
  const peers = { '@sextant/contracts': ours, '@sextant/core': ours, zod: '^4.0.0' };
  return {
    name,
    version: '0.1.0',
    description: purpose,
    keywords: ['sextant-plugin'],
    license: 'MIT',
    type: 'module',
    exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
    files: ['dist'],
    engines: { ...manifest.engines, sextant: ours },
    scripts: {
      check: 'tsc',
      test: `sextant plugin check .${checked}`,
      build: 'tsc -p tsconfig.build.json',
      prepack: 'npm run build',
    },
    ...(dependencies && { dependencies }),
    peerDependencies: peers,
    devDependencies: { ...peers, '@sextant/host': ours, '@types/node': '^24.0.0', typescript: '>=5.9' },
  };
}

function readme(name: string, plugin: string, kind: Kind): string {
  const { purpose, needsTrust, below, beside = '' } = kind;
  const said = [needsTrust && 'trusted: true', below].filter(Boolean).join(', ');
  return `# ${name}

${purpose}, for [Sextant](https://www.npmjs.com/package/@sextant/host).

\`\`\`yaml
plugins:
  # The package is installed beside the configuration. While you write it, name its folder: ./${plugin}
  "${name}": ${said === '' ? '{}' : `{ ${said} }`}
${renamed(beside, plugin, { ...kind, words: '' })}\`\`\`

${needsTrust ? trustNote : isolationNote}${kind === kinds.service ? serviceNote : ''}

\`npm run check\` checks the types. \`npm test\` runs the tests and what every plugin should do.
\`npm pack\` builds the package, \`npm publish\` publishes it.
`;
}

const isolationNote = `It runs in a process of its own. What it needs besides the services of Sextant stands in its
\`capabilities\`; the operator allows it, such as \`{ allow: [network] }\`.`;

const serviceNote = ` Other plugins have its service only with \`trusted: true\`.`;

const trustNote = `It can only run in the server's process: \`trusted: true\` says that the operator trusts it like the server.`;

const license = (plugin: string): string => `MIT License

Copyright (c) ${new Date().getFullYear()} the authors of ${plugin}

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
`;

const workflow = `name: CI
on: [push, pull_request]
jobs:
  test:
    runs-on: ubuntu-latest
    strategy:
      matrix:
        node: [22, 24]
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: \${{ matrix.node }}
      - run: npm install
      - run: npm run check
      - run: npm test
      - run: npm run build
`;
