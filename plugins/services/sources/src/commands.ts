import { SextantError, cut, defineCommand, didYouMean, oneLine, operatorReason, textTable } from '@sextant/core';
import type { Command, CommandIo } from '@sextant/core';
import { visibilities } from '@sextant/contracts';
import type { HostRepository } from '@sextant/contracts';
import { z } from 'zod';
import type { ConfiguredSource } from './config.ts';
import { whyLeftOut } from './selection.ts';
import { Sources } from './sources.ts';

const row = z.object({
  source: z.string(),
  name: z.string(),
  isServed: z.boolean(),
  reason: z.string().optional().describe('Why it is not served'),
  visibility: z.enum(visibilities),
  readers: z.string().describe('Who may read it'),
});

const list = defineCommand({
  name: 'source list',
  summary: 'ask the code hosts what would be served, and why other repositories would not',
  input: z.object({
    source: z.string().describe('Only the source of this name').optional(),
    leftOut: z.boolean().default(false).describe('Only repositories that are not served'),
  }),
  needs: { sources: Sources },
  output: z.object({
    repositories: z.array(row),
    failures: z.array(z.object({ source: z.string(), reason: z.string() })),
  }),
  async run({ source: wanted, leftOut }, { sources }, io) {
    const repositories: z.output<typeof row>[] = [];
    const failures: { source: string; reason: string }[] = [];
    const names = sources.followed.map(({ configured }) => configured.name);
    if (wanted !== undefined && !names.includes(wanted)) throw noSource(wanted, names);
    const asked = sources.followed.filter(({ configured }) => wanted === undefined || configured.name === wanted);
    for (const { configured } of asked) {
      try {
        for (const each of await listOf(configured, io)) if (!leftOut || !each.isServed) repositories.push(each);
      } catch (error) {
        io.signal.throwIfAborted();
        failures.push({ source: configured.name, reason: operatorReason(error) });
      }
    }
    if (failures.length > 0 && failures.length === asked.length)
      throw new SextantError('unavailable', failures.map(({ source, reason }) => `${source}: ${reason}`).join('; '));
    return { repositories, failures };
  },
  toText: ({ repositories, failures }) =>
    [
      textTable([['REPOSITORY', 'SERVED', 'VISIBILITY', 'READERS, OR WHY NOT'], ...repositories.map(cellsOf)]),
      `${repositories.filter(({ isServed }) => isServed).length} of ${repositories.length} are served`,
      ...failures.map(({ source, reason }) => `${source}: ${reason}`),
    ].join('\n'),
});

const noSource = (wanted: string, names: readonly string[]): SextantError =>
  new SextantError(
    'not_found',
    `there is no source "${cut(wanted, 100)}".${didYouMean(wanted, names)} Known: ${names.join(', ') || 'none'}`,
  );

export const commands: readonly Command[] = [list];

async function listOf(configured: ConfiguredSource, io: CommandIo): Promise<z.output<typeof row>[]> {
  const rows: z.output<typeof row>[] = [];
  for await (const page of configured.source.list(io.signal)) {
    rows.push(...page.map((repository) => rowOf(repository, configured)));
    io.showProgress(`${configured.name}: ${rows.length} repositories`);
  }
  return rows.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function rowOf(repository: HostRepository, configured: ConfiguredSource): z.output<typeof row> {
  const reason = whyLeftOut(repository, configured);
  const name = `${configured.source.host}/${repository.path}`;
  const { visibility } = repository;
  const readers = readersOf(repository, configured);
  return {
    source: configured.name,
    name,
    isServed: reason === undefined,
    ...(reason && { reason }),
    visibility,
    readers,
  };
}

function readersOf({ visibility }: HostRepository, { settings, name }: ConfiguredSource): string {
  const { permissions, access } = settings;
  const named = access && [...access.roles.map((role) => `role ${role}`), ...access.users].join(', ');
  if (permissions === 'sync') {
    const shown = visibility === 'public' ? 'everyone' : `whom ${name} shows it to`;
    return named === undefined || visibility === 'public' ? shown : `${shown}, and ${named}`;
  }
  return named ?? (visibility === 'public' ? 'everyone' : 'site administrators');
}

const cellsOf = ({ name, isServed, reason, visibility, readers }: z.output<typeof row>): string[] => [
  oneLine(name),
  isServed ? 'yes' : 'no',
  visibility,
  oneLine(reason ?? readers),
];
