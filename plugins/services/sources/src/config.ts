import {
  cloneDepth,
  credentialHelper,
  repositoryAccess,
  sourcePermissions,
  sshLogin,
  visibilities,
} from '@sextant/contracts';
import type { RepositorySource, SourceContext, SourceType } from '@sextant/contracts';
import { didYouMean } from '@sextant/core';
import type { ConfigMistake } from '@sextant/core';
import { z } from 'zod';
import { HostWaits } from './host-waits.ts';

const globs = (what: string) => z.array(z.string().min(1)).describe(`${what}; "*" stands for any text`);
const seconds = (min: number, max: number) => z.int().min(min).max(max);

/** What may be said of every source, whatever its type. */
const common = z.object({
  type: z.string().min(1).describe('The kind of code host, such as gitea'),
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/, 'must be 1–100 letters, digits, ".", "_", ":" or "-"')
    .describe('What this source is called; default: its host')
    .optional(),
  include: z
    .strictObject({
      topics: globs('Only repositories with one of these topics').optional(),
      names: globs('Only repositories whose path or last part of it is like one of these').optional(),
      visibility: z.array(z.enum(visibilities)).describe('Only repositories of these kinds').optional(),
    })
    .default({})
    .describe('Which repositories are served; absent: all'),
  exclude: z
    .strictObject({
      archived: z.boolean().default(false).describe('Whether archived repositories are left out'),
      forks: z.boolean().default(false).describe('Whether forks are left out'),
      topics: globs('Repositories with one of these topics are left out').default([]),
      names: globs('Repositories whose path or last part of it is like one of these are left out').default([]),
    })
    .prefault({})
    .describe('Which repositories are left out'),
  branches: z.array(z.string().min(1)).default([]).describe('Branches to index besides the default branch'),
  permissions: z
    .enum(sourcePermissions)
    .default('none')
    .describe('sync: who may read a repository is what the host says'),
  access: repositoryAccess
    .describe(
      'Who may read all of them, also beside permissions: sync. Without both, repositories that are not public are for site administrators',
    )
    .optional(),
  matchEmail: z
    .boolean()
    .default(false)
    .describe(
      'Whether a user who did not sign in through the host is the account that has verified their e-mail address',
    ),
  ssh: sshLogin.describe('Repositories are cloned over ssh, and git signs in so').optional(),
  credentialHelper: credentialHelper.optional(),
  depth: cloneDepth.optional(),
  sshHost: z
    .string()
    .regex(/^\w[\w.-]*$/, 'must be the name of a host')
    .transform((host) => host.toLowerCase())
    .describe('The host of the ssh URLs, where it is not that of the source')
    .optional(),
  refreshSeconds: seconds(10, 604_800).default(600).describe('Time between two complete lists of repositories'),
  pollSeconds: seconds(1, 604_800).default(60).describe('Time between two looks at what changed'),
  accessSeconds: seconds(1, 86_400)
    .default(50)
    .describe('Age from which the list of what a user may read is asked for again, when they call'),
  maxAccessAgeSeconds: seconds(60, 604_800)
    .default(7200)
    .describe('Age from which such a list counts as none, because the host cannot be asked'),
});

export type SourceSettings = z.output<typeof common>;

export const config = z.object({
  sources: z
    .array(z.looseObject({ type: z.string().min(1).describe('The kind of code host, such as gitea') }))
    .default([])
    .describe('Code hosts whose repositories are served; docs/code-hosts.md has the keys of each type'),
});

export type SourcesConfig = z.output<typeof config>;

/** A source that the configuration names, opened. It asks its host for nothing yet. */
export interface ConfiguredSource {
  readonly name: string;
  readonly settings: SourceSettings;
  readonly source: RepositorySource;
  readonly waits: HostWaits;
}

export interface ReadSources {
  readonly sources: readonly ConfiguredSource[];
  readonly mistakes: readonly ConfigMistake[];
}

/** Opens what the configuration names, and tells everything that is wrong with it. */
export function readSources(
  { sources: given }: SourcesConfig,
  types: readonly SourceType[],
  context: Omit<SourceContext, 'permissions'>,
): ReadSources {
  const sources: ConfiguredSource[] = [];
  const mistakes: ConfigMistake[] = [];
  for (const [index, entry] of given.entries()) {
    const path = ['sources', index];
    const type = types.find((each) => each.type === entry.type);
    if (!type) {
      const known = types.map((each) => each.type);
      const text = `there is no type "${entry.type}".${didYouMean(entry.type, known)} Known: ${known.join(', ')}`;
      mistakes.push({ path: [...path, 'type'], text });
      continue;
    }
    const parsed = parse(entry, type);
    if ('issues' in parsed)
      mistakes.push(...parsed.issues.map((issue) => ({ ...issue, path: [...path, ...issue.path] })));
    else {
      const waits = new HostWaits(context.log);
      const onWait = (seconds: number): void => waits.note(seconds);
      const source = type.open(parsed.own, { ...context, permissions: parsed.settings.permissions, onWait });
      const name = parsed.settings.name ?? source.host;
      if (sources.some((other) => other.name === name))
        mistakes.push({ path, text: `two sources are called "${name}"; give one of them a "name" of its own` });
      for (const key of ['ssh', 'sshHost'] as const) {
        const problem = parsed.settings[key] === undefined ? undefined : sshProblem(key, parsed.settings, source);
        if (problem !== undefined) mistakes.push({ path: [...path, key], text: problem });
      }
      const text = helperProblem(parsed.settings, source);
      if (text !== undefined) mistakes.push({ path: [...path, 'credentialHelper'], text });
      waits.name = name;
      sources.push({ name, settings: parsed.settings, source, waits });
    }
  }
  return { sources, mistakes };
}

function sshProblem(
  key: 'ssh' | 'sshHost',
  { type, ssh }: SourceSettings,
  { sshHosts }: RepositorySource,
): string | undefined {
  if (!sshHosts) return `a source of the type ${type} tells no ssh URLs`;
  return key === 'sshHost' && ssh === undefined ? 'is for a source with "ssh"' : undefined;
}

function helperProblem(
  { credentialHelper: helper, ssh }: SourceSettings,
  { cloneOrigins }: RepositorySource,
): string | undefined {
  if (helper === undefined) return undefined;
  if (ssh !== undefined) return 'is for a source without "ssh"';
  return cloneOrigins.every((origin) => origin.startsWith('https:')) ? undefined : 'is for a host of https alone';
}

type Parsed = { settings: SourceSettings; own: unknown } | { issues: readonly ConfigMistake[] };

function parse(entry: object, { config: own }: SourceType): Parsed {
  const known = [...Object.keys(common.shape), ...Object.keys(own.shape)];
  const unknown = Object.keys(entry).filter((key) => !known.includes(key));
  const parsed = { settings: common.safeParse(entry), own: own.safeParse(entry) };
  const issues = [
    ...unknown.map((key) => ({
      path: [key],
      text: `unknown key.${didYouMean(key, known)} Allowed are ${known.join(', ')}`,
    })),
    ...[...(parsed.settings.error?.issues ?? []), ...(parsed.own.error?.issues ?? [])].map(({ path, message }) => ({
      path,
      text: message,
    })),
  ];
  if (issues.length > 0 || !parsed.settings.success || !parsed.own.success) return { issues };
  return { settings: parsed.settings.data, own: parsed.own.data };
}
