import { Repositories } from '@sextant/contracts';
import type { Repository } from '@sextant/contracts';
import { SextantError, defineResource } from '@sextant/core';
import type { Call, Completion, ResourceVariables } from '@sextant/core';
import { mostContent } from './numbered-lines.ts';

/** Most values of one completion. */
const mostValues = 100;
/** Refs and entries of a folder that are looked through for them. */
const mostLooked = 10_000;

/** A file as a resource: clients attach it by its URI, without a call of a tool. */
export const file = defineResource({
  name: 'file',
  title: 'File at a revision',
  description:
    'The text of one file, such as repo://acme/shop@main/src/cart.ts. HEAD is the default branch; a slash in a revision is written %2F.',
  uri: 'repo://{repo}@{revision}/{+path}',
  withTools: ['read_file'],
  needs: { repositories: Repositories },
  async read({ repo = '', revision = '', path = '' }, { repositories }, { caller, signal, noteRepository }) {
    const repository = await repositories.open(caller, repo);
    noteRepository?.(repository.info.name);
    const commit = await repository.resolve(revision, signal);
    const { text } = await repository.readText(commit, path, signal);
    if (Buffer.byteLength(text) <= mostContent) return { mimeType: 'text/plain', text };
    throw new SextantError(
      'too_large',
      `${repo}: ${path} has ${Buffer.byteLength(text)} bytes; a resource gives at most ${mostContent}. Read it in parts: read_file with startLine and endLine`,
    );
  },
  async complete(asked, { repositories }, call) {
    const values =
      asked.variable === 'repo'
        ? (await repositories.list(call.caller)).map(({ name }) => name)
        : await valuesIn(await repositories.open(call.caller, asked.variables['repo'] ?? ''), asked, call);
    const typed = asked.typed.toLowerCase();
    const isStart = (value: string): boolean => value.toLowerCase().startsWith(typed);
    const found = values.filter((value) => value.toLowerCase().includes(typed));
    return [...found.filter(isStart), ...found.filter((value) => !isStart(value))].slice(0, mostValues);
  },
  filesOf: ({ path = '' }) => [path],
});

async function valuesIn(
  repository: Repository,
  { variable, typed, variables }: Completion,
  { signal }: Call,
): Promise<readonly string[]> {
  if (variable !== 'revision') return pathsIn(repository, { typed, variables }, signal);
  const { refs } = await repository.listRefs({ types: ['branch', 'tag'], limit: mostLooked }, signal);
  return refs.map(({ name }) => name);
}

/** The entries of the folder that was typed so far; folders end with a slash. */
async function pathsIn(
  repository: Repository,
  { typed, variables }: { typed: string; variables: ResourceVariables },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const commit = await repository.resolve(variables['revision'], signal);
  const folder = typed.slice(0, typed.lastIndexOf('/') + 1);
  const { entries } = await repository.listTree({ commit, path: folder.replace(/\/$/, ''), limit: mostLooked }, signal);
  return entries.map(({ path, kind }) => (kind === 'directory' ? `${path}/` : path));
}
