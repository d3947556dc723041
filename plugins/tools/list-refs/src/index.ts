import { Repositories, noteLines, repo } from '@sextant/contracts';
import type { RefType } from '@sextant/contracts';
import { definePlugin, defineTool, oneLine } from '@sextant/core';
import { z } from 'zod';

const ref = z.object({
  name: z.string(),
  type: z.enum(['branch', 'tag']),
  commit: z.string(),
  isDefault: z.boolean(),
  date: z.string(),
});

export const listRefs = defineTool({
  name: 'list_refs',
  title: 'List branches and tags',
  description:
    'Branches and tags of a repository, the default branch first, then the newest; or only those that contain a commit.',
  guidance: { begin: 'list_refs lists branches and tags; each is a revision for every other tool.' },
  endpoints: [],
  needs: { repositories: Repositories },
  input: z.object({
    repo,
    tagsOnly: z.boolean().default(false).describe('Only tags'),
    headsOnly: z.boolean().default(false).describe('Only branches'),
    containsCommit: z.string().max(1000).describe('Only those whose history has this commit').optional(),
    limit: z.int().min(1).max(500).default(100).describe('Most refs'),
  }),
  output: z.object({ refs: z.array(ref), hasMoreResults: z.boolean(), notes: z.array(z.string()).optional() }),
  async run(
    { repo: name, tagsOnly, headsOnly, containsCommit, limit },
    { repositories },
    { caller, signal, noteRepository },
  ) {
    const repository = await repositories.open(caller, name);
    noteRepository?.(repository.info.name);
    const filter = {
      types: typesOf(tagsOnly, headsOnly),
      limit,
      ...(containsCommit !== undefined && { containsCommit }),
    };
    const { refs, hasMore, notes } = await repository.listRefs(filter, signal);
    return {
      refs: [...refs],
      hasMoreResults: hasMore,
      ...(notes && { notes: notes.map((note) => `${name}: ${note}`) }),
    };
  },
  rest: 'lower limit, or ask for tagsOnly or headsOnly',
  cuts: { of: [['refs']], flags: ['hasMoreResults'] },
  toText: ({ refs, hasMoreResults, notes = [] }) => {
    const rest = `[only the first ${refs.length}; raise limit, or ask for tags or branches only]`;
    const found = refs.length === 0 ? ['No such refs.'] : refs.map(toLine);
    return [...found, ...noteLines(notes), ...(hasMoreResults ? [rest] : [])].join('\n');
  },
});

export default definePlugin({ name: 'tool-list-refs', tools: [listRefs] });

/** Neither flag and both flags mean the same: everything. */
function typesOf(tagsOnly: boolean, headsOnly: boolean): readonly RefType[] {
  if (tagsOnly === headsOnly) return ['branch', 'tag'];
  return tagsOnly ? ['tag'] : ['branch'];
}

const toLine = ({ name, type, commit, isDefault, date }: z.output<typeof ref>): string =>
  oneLine(`${type} ${name}${isDefault ? ' (default)' : ''} ${commit.slice(0, 12)} ${date.slice(0, 10)}`);
