import type { HostRepository, Visibility } from '@sextant/contracts';
import { z } from 'zod';

const ownerVisibility = z.enum(['public', 'limited', 'private']);

const repository = z.object({
  id: z.int().positive(),
  full_name: z.string(),
  owner: z.object({ id: z.int(), visibility: ownerVisibility }),
  private: z.boolean(),
  clone_url: z.string(),
  ssh_url: z.string().optional(),
  description: z.string(),
  default_branch: z.string(),
  archived: z.boolean(),
  fork: z.boolean(),
  empty: z.boolean(),
  topics: z.array(z.string()).nullish(),
  stars_count: z.int(),
  updated_at: z.iso.datetime({ offset: true }),
  permissions: z.object({ pull: z.boolean() }),
});

export type GiteaRepository = z.output<typeof repository>;

export const pageOfRepositories = z.object({ ok: z.literal(true), data: z.array(repository) });

export const signedInUser = z.object({ login: z.string(), is_admin: z.boolean() });
export const organization = z.object({ id: z.int().positive() });

const user = z.object({
  id: z.int(),
  login: z.string(),
  active: z.boolean(),
  prohibit_login: z.boolean(),
  restricted: z.boolean(),
});

export type GiteaUser = z.output<typeof user>;

export const pageOfUsers = z.object({ data: z.array(user) });
export const emails = z.array(z.object({ email: z.string(), verified: z.boolean(), user_id: z.int() }));
export const messageBody = z.object({ repository: z.object({ id: z.int() }) });

export function hostRepository(given: GiteaRepository, needsSignIn: boolean): HostRepository {
  // Gitea tells of no push apart: each counts as an update, and so does a change of the description.
  const updated = new Date(given.updated_at).toISOString();
  return {
    id: String(given.id),
    path: given.full_name,
    cloneURL: given.clone_url,
    ...(given.ssh_url && { sshURL: given.ssh_url }),
    description: given.description,
    defaultBranch: given.default_branch,
    visibility: visibilityOf(given, needsSignIn),
    isArchived: given.archived,
    isFork: given.fork,
    isEmpty: given.empty,
    topics: given.topics ?? [],
    stars: given.stars_count,
    pushed: updated,
    changed: updated,
  };
}

/** What its owner hides is hidden, whatever the repository itself says. */
function visibilityOf({ private: isPrivate, owner }: GiteaRepository, needsSignIn: boolean): Visibility {
  if (isPrivate || owner.visibility === 'private') return 'private';
  return owner.visibility === 'limited' || needsSignIn ? 'internal' : 'public';
}
