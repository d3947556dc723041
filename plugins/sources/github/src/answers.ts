import type { HostRepository, Visibility } from '@sextant/contracts';
import { visibilities } from '@sextant/contracts';
import { z } from 'zod';

const date = z.iso.datetime({ offset: true });

/** Of what an organisation's list, a search and an installation give: the schemas of GitHub promise less than it answers. */
const repository = z.object({
  id: z.int().positive(),
  node_id: z.string().min(1),
  full_name: z.string(),
  owner: z.object({ id: z.int().positive(), login: z.string(), type: z.string() }),
  private: z.boolean(),
  visibility: z.enum(visibilities).optional(),
  html_url: z.string(),
  clone_url: z.string().optional(),
  ssh_url: z.string().optional(),
  description: z.string().nullable(),
  default_branch: z.string().default(''),
  archived: z.boolean().default(false),
  fork: z.boolean(),
  size: z.int().optional(),
  topics: z.array(z.string()).default([]),
  stargazers_count: z.int().optional(),
  created_at: date.nullish(),
  pushed_at: date.nullish(),
  updated_at: date.nullish(),
});

export type GitHubRepository = z.output<typeof repository>;

export interface PageOfRepositories {
  readonly repositories: readonly GitHubRepository[];
  /** How many there are on all pages, where GitHub says so. */
  readonly total?: number;
  /** Whether GitHub gave up before it had found all. */
  readonly isIncomplete?: boolean;
}

export const pageOfRepositories: z.ZodType<PageOfRepositories> = z.union([
  z.array(repository).transform((repositories) => ({ repositories })),
  z
    .object({ total_count: z.int(), repositories: z.array(repository) })
    .transform(({ total_count: total, repositories }) => ({ repositories, total })),
  z
    .object({ total_count: z.int(), incomplete_results: z.boolean(), items: z.array(repository) })
    .transform(({ total_count: total, incomplete_results: isIncomplete, items }) => ({
      repositories: items,
      total,
      isIncomplete,
    })),
]);

/** `suspended_at` is of GitHub Enterprise. */
export const user = z.object({
  id: z.int().positive(),
  login: z.string(),
  type: z.string(),
  email: z.string().nullish(),
  public_repos: z.int(),
  suspended_at: z.string().nullish(),
});
export type GitHubUser = z.output<typeof user>;

export const foundUsers = z.object({ items: z.array(z.object({ id: z.int().positive() })) });

/** Owners see more of their organisation than others. */
export const organization = z.object({
  public_repos: z.int(),
  total_private_repos: z.int().optional(),
  default_repository_permission: z.string().nullish(),
});

export const app = z.object({
  slug: z.string().optional(),
  name: z.string(),
  permissions: z.record(z.string(), z.string()),
});

export const installations = z.array(
  z.object({
    id: z.int().positive(),
    account: z
      .object({ login: z.string(), type: z.string() })
      .or(z.object({ slug: z.string() }))
      .nullable(),
    suspended_at: z.string().nullable(),
  }),
);
export const installationToken = z.object({ token: z.string().min(1), expires_at: date });

const message = z.object({ repository: z.object({ id: z.int().positive() }) });

/** The repository that a message of GitHub is about. */
export const repositoryIn = (body: Uint8Array): string =>
  String(message.parse(JSON.parse(Buffer.from(body).toString('utf8'))).repository.id);

export function visibilityOf({ private: isPrivate, visibility }: GitHubRepository): Visibility {
  if (!isPrivate) return 'public';
  return visibility === 'internal' ? 'internal' : 'private';
}

export const hostRepository = (given: GitHubRepository, needsSignIn: boolean): HostRepository => {
  const visibility = visibilityOf(given);
  return {
    id: String(given.id),
    path: given.full_name,
    cloneURL: given.clone_url ?? `${given.html_url}.git`,
    ...(given.ssh_url && { sshURL: given.ssh_url }),
    description: given.description ?? '',
    defaultBranch: given.default_branch,
    visibility: visibility === 'public' && needsSignIn ? 'internal' : visibility,
    isArchived: given.archived,
    isFork: given.fork,
    isEmpty: isEmpty(given),
    topics: given.topics,
    ...(given.stargazers_count !== undefined && { stars: given.stargazers_count }),
    ...(given.pushed_at && { pushed: new Date(given.pushed_at).toISOString() }),
    changed: new Date(given.pushed_at ?? given.created_at ?? 0).toISOString(),
  };
};

/** The size is 0 for a while after the first push, too. */
const isEmpty = ({ size, pushed_at: pushed, created_at: created }: GitHubRepository): boolean =>
  size === 0 && Date.parse(pushed ?? created ?? '') <= Date.parse(created ?? '');
