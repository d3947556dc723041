import type { HostRepository } from '@sextant/contracts';
import { z } from 'zod';
import { cloneLink, cloneURLsIn } from '../clone-links.ts';
import { withoutBraces } from '../messages.ts';

const uuid = z.string().regex(/^\{[^{}]+\}$/);

const pageOf = <T extends z.ZodType>(value: T) =>
  z.object({ size: z.int().optional(), next: z.string().optional(), values: z.array(value) });

const repository = z.object({
  uuid,
  full_name: z.string(),
  is_private: z.boolean(),
  description: z.string().nullish(),
  // Null until something is pushed.
  mainbranch: z.object({ name: z.string() }).nullish(),
  parent: z.object({}).nullish(),
  updated_on: z.iso.datetime({ offset: true }),
  links: z.object({ clone: z.array(cloneLink) }),
});

export type CloudRepository = z.output<typeof repository>;

export const pageOfRepositories = pageOf(repository);
export const pageOfIds = pageOf(z.object({ uuid }));
export const counted = z.object({ size: z.int().optional() });

export const user = z.object({
  uuid,
  account_id: z.string().optional(),
  nickname: z.string(),
  account_status: z.string().optional(),
});
export type CloudUser = z.output<typeof user>;

export const pageOfMembers = pageOf(z.object({ user: z.object({ uuid, email: z.string().optional() }) }));

export const pageOfPermissions = pageOf(
  z.object({
    permission: z.string(),
    user: z.object({ uuid }),
    repository: z.object({ uuid }),
  }),
);

export const renewedToken = z.object({ access_token: z.string().min(1), expires_in: z.number().positive() });

export const hostRepository = (given: CloudRepository): HostRepository => ({
  id: withoutBraces(given.uuid),
  path: given.full_name,
  ...cloneURLsIn(given.links.clone, 'https'),
  description: given.description ?? '',
  defaultBranch: given.mainbranch?.name ?? '',
  visibility: given.is_private ? 'private' : 'public',
  isArchived: false,
  isFork: Boolean(given.parent),
  isEmpty: !given.mainbranch,
  topics: [],
  pushed: new Date(given.updated_on).toISOString(),
  changed: new Date(given.updated_on).toISOString(),
});
