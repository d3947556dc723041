import type { HostRepository, Visibility } from '@sextant/contracts';
import { visibilities } from '@sextant/contracts';
import { z } from 'zod';

const id = z.int().positive();
const date = z.iso.datetime({ offset: true });

const project = z.object({
  id,
  path_with_namespace: z.string(),
  http_url_to_repo: z.string(),
  ssh_url_to_repo: z.string().nullish(),
  description: z.string().nullish(),
  default_branch: z.string().nullish(),
  visibility: z.enum(visibilities),
  // Of everything in a project the code may be for members only, or for nobody. What is not understood is for members only.
  repository_access_level: z.enum(['disabled', 'private', 'enabled']).catch('private'),
  archived: z.boolean().default(false),
  empty_repo: z.boolean().default(false),
  // Forks have it, also where the token may not see what they were forked from.
  mr_default_target_self: z.boolean().optional(),
  topics: z.array(z.string()).default([]),
  star_count: z.int(),
  last_activity_at: date,
  updated_at: date.optional(),
});

export type GitLabProject = z.output<typeof project>;

export const pageOfProjects = z.array(project);
export const pageOfIds = z.array(z.object({ id }));

/** What only administrators are told stands for what grants less where it is absent. */
export const user = z.object({
  id,
  username: z.string(),
  state: z.string(),
  external: z.boolean().default(true),
  is_admin: z.boolean().default(false),
  email: z.string().nullish(),
  confirmed_at: z.string().nullish(),
});
export type GitLabUser = z.output<typeof user>;
export const pageOfUsers = z.array(user);

export const ownToken = z.object({ scopes: z.array(z.string()) });

/** The code of a project is for members that no list but that of members names. */
export const codeVisibility = ({ visibility, repository_access_level: level }: GitLabProject): Visibility =>
  level === 'enabled' ? visibility : 'private';

export const hostRepository = (given: GitLabProject, now: number): HostRepository => ({
  id: String(given.id),
  path: given.path_with_namespace,
  cloneURL: given.http_url_to_repo,
  ...(given.ssh_url_to_repo && { sshURL: given.ssh_url_to_repo }),
  description: given.description ?? '',
  defaultBranch: given.default_branch ?? '',
  visibility: codeVisibility(given),
  isArchived: given.archived,
  isFork: given.mr_default_target_self !== undefined,
  isEmpty: given.empty_repo || given.repository_access_level === 'disabled',
  topics: given.topics,
  stars: given.star_count,
  // The newest activity of any kind: GitLab tells of no push apart.
  pushed: new Date(given.last_activity_at).toISOString(),
  changed: new Date(changedAt(given, now)).toISOString(),
});

/** GitLab notes the first push of so long, and none of those that follow it. */
export const unnotedMs = 300_000;

/** Another moment at each look while pushes may not be noted. */
function changedAt(given: GitLabProject, now: number): number {
  const noted = notedAt(given);
  return now - noted < unnotedMs ? Math.max(noted, now) : noted;
}

/** Milliseconds since 1970. */
export const notedAt = ({ updated_at: updated, last_activity_at: active }: GitLabProject): number =>
  Date.parse(updated ?? active);
