import { mkdtemp, mkdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { preset } from '@sextant/preset';

/** A folder of its own for one test, removed at its end. */
export interface Scratch extends AsyncDisposable {
  readonly folder: string;
  path(name: string): string;
  /** Writes a file, and the folders above it. */
  write(name: string, content: string): Promise<string>;
}

export async function scratch(): Promise<Scratch> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'sextant-host-')));
  const path = (name: string): string => join(folder, name);
  return {
    folder,
    path,
    async write(name, content) {
      await mkdir(dirname(path(name)), { recursive: true });
      await writeFile(path(name), content);
      return path(name);
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** `plugins` with the preset switched off: what a test says is then all there is. */
export const alone = (plugins: object = {}): object => ({
  ...Object.fromEntries(preset.map((name) => [name, false])),
  ...plugins,
});

/** A configuration with only the plugins that a test names; they run in the server's process unless it says otherwise. */
export const configOf = (plugins: object, settings: object = {}): string =>
  JSON.stringify({ ...settings, plugins: alone(trusted(plugins)) }, null, 1);

/** The same with each plugin trusted, unless something is said of its isolation. */
export const trusted = (plugins: object): object =>
  Object.fromEntries(
    Object.entries(plugins).map(([key, said]) => {
      const isSaid = typeof said !== 'object' || said === null || preset.includes(key);
      return [key, isSaid || 'isolation' in said || 'trusted' in said ? said : { trusted: true, ...said }];
    }),
  );

/** A plugin in a file: a tool that answers with a text, and what else is said. */
export const pluginSource = (name: string, answer: string, more = ''): string => `
import { definePlugin, defineTool } from '@sextant/core';
import { z } from 'zod';
const tool = defineTool({
  name: '${name.replaceAll('-', '_')}', title: 'Test', description: 'Answers with a text.', endpoints: ['default'], needs: {},
  input: z.object({ count: z.int().min(1).max(3).default(1).describe('How often'), tags: z.array(z.string()).default([]).describe('Tags') }),
  output: z.object({ answer: z.string() }),
  run: async ({ count, tags }) => ({ answer: ${JSON.stringify(answer)}.repeat(count) + tags.join('') }),
  toText: ({ answer }) => answer,
});
export default definePlugin({ name: '${name}', tools: [tool], ${more} });
`;
