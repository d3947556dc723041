import type { HostRepository, Visibility } from '@sextant/contracts';
import { lastDue } from '@sextant/library-host-api';
import { z } from 'zod';
import { cloneLink, cloneURLsIn } from '../clone-links.ts';

const id = z.int().positive();

/** Pages as Bitbucket numbers them. */
export const pageOf = <T extends z.ZodType>(value: T) =>
  z.object({ isLastPage: z.boolean(), nextPageStart: z.int().nullish(), values: z.array(value) });

const project = z.object({
  id,
  key: z.string(),
  public: z.boolean().default(false),
  // Of a personal project only.
  owner: z.object({ id }).optional(),
});

export const repository = z.object({
  id,
  slug: z.string(),
  project,
  public: z.boolean().default(false),
  archived: z.boolean().default(false),
  description: z.string().nullish(),
  origin: z.object({ id }).nullish(),
  links: z.object({ clone: z.array(cloneLink).default([]) }),
});
export type DataCenterRepository = z.output<typeof repository>;

export const user = z.object({
  id,
  name: z.string(),
  active: z.boolean(),
  emailAddress: z.string().optional(),
});
export type DataCenterUser = z.output<typeof user>;

export const group = z.object({ name: z.string() });
export const permittedUser = z.object({ user: z.object({ id }) });
export const permittedGroup = z.object({ group });
export const permitted = z.object({ permitted: z.boolean() });

export const isPublic = ({ public: isOpen, project: { public: isProjectOpen } }: DataCenterRepository): boolean =>
  isOpen || isProjectOpen;

/** Bitbucket tells in no list when somebody pushed: without a message of it, a repository may have changed each hour. */
const unseenMs = 3_600_000;

export const hostRepository = (given: DataCenterRepository, visibility: Visibility, now: number): HostRepository => ({
  id: String(given.id),
  path: `${given.project.key}/${given.slug}`,
  ...cloneURLsIn(given.links.clone, 'http'),
  description: given.description ?? '',
  defaultBranch: '',
  visibility,
  isArchived: given.archived,
  isFork: Boolean(given.origin),
  isEmpty: false,
  topics: [],
  changed: new Date(lastDue(String(given.id), unseenMs, now)).toISOString(),
});
