import type { HostAccount, HostRepository, Visibility } from '@sextant/contracts';
import { z } from 'zod';

export const project = z.object({
  description: z.string().nullish(),
  state: z.string().default('ACTIVE'),
});
export type GerritProject = z.output<typeof project>;

/** What an answer has by name, as pairs: a record of zod leaves out what is called `__proto__`. */
export const byName = <T extends z.ZodType>(value: T) =>
  z.preprocess(
    (given) => (given instanceof Object && !Array.isArray(given) ? Object.entries(given) : undefined),
    z.array(z.tuple([z.string(), value])),
  );

export const projects = byName(project);

/** Times are written like `2013-02-21 11:16:36.775000000`, in UTC. */
const timestamp = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?$/)
  .transform((text) => new Date(`${text.slice(0, 23).replace(' ', 'T')}Z`))
  .refine((date) => !Number.isNaN(date.getTime()))
  .transform((date) => date.toISOString());

/** One that was submitted. */
export const change = z.object({
  project: z.string(),
  submitted: timestamp,
  /** On the last of a list that goes on. */
  _more_changes: z.boolean().default(false),
});

export const serverInfo = z.object({
  gerrit: z.object({ all_projects: z.string().min(1), all_users: z.string().min(1) }),
  download: z
    .object({ schemes: z.record(z.string(), z.object({ url: z.string() })).default({}) })
    .default({ schemes: {} }),
});
export type GerritServer = z.output<typeof serverInfo>;

/** Only those that somebody has. */
export const capabilities = z.object({ administrateServer: z.boolean().default(false) });

export const account = z.object({
  _account_id: z.int().positive(),
  username: z.string().optional(),
  email: z.string().optional(),
  secondary_emails: z.array(z.string()).default([]),
  inactive: z.boolean().default(false),
  /** On the last of a list that goes on. */
  _more_accounts: z.boolean().default(false),
});
export type GerritAccount = z.output<typeof account>;

/** The id is encoded as in an address. */
export const group = z.object({ id: z.string() });

/** Gerrit tells the first rule of a group in a permission. What is no rule that we know takes rights away. */
const rule = z.object({ action: z.enum(['ALLOW', 'DENY', 'BLOCK']).catch('BLOCK') });

/** Rules by the UUID of their group. */
const permission = z.object({ exclusive: z.boolean().default(false), rules: z.record(z.string(), rule) });
export type GerritPermission = z.output<typeof permission>;

const section = z.object({
  permissions: z.object({ read: permission.optional(), owner: permission.optional() }),
});

export const projectAccess = z.object({
  inherits_from: z.object({ id: z.string(), name: z.string().optional() }).nullish(),
  /** Rights of the project itself, by the pattern of refs. */
  local: z.record(z.string(), section),
  /** Without one of these two, rights are left out that the asking account may not see. */
  config_visible: z.boolean().default(false),
  is_owner: z.boolean().default(false),
});
export type GerritAccess = z.output<typeof projectAccess>;

/** An account needs no username, and one that it has never becomes that of another. */
export const hostAccount = ({ _account_id: id, username }: GerritAccount): HostAccount => ({
  id: String(id),
  login: username ?? `account ${id}`,
});

export interface Described {
  readonly name: string;
  readonly project: GerritProject;
  readonly cloneURL: string;
  readonly sshURL: string | undefined;
  readonly visibility: Visibility;
  /** RFC 3339 in UTC. */
  readonly changed: string;
}

/** Gerrit has no id of a project but its name. */
export const hostRepository = ({
  name,
  project: given,
  cloneURL,
  sshURL,
  visibility,
  changed,
}: Described): HostRepository => ({
  id: name,
  path: name,
  cloneURL,
  ...(sshURL !== undefined && { sshURL }),
  description: given.description ?? '',
  defaultBranch: '',
  visibility,
  isArchived: given.state !== 'ACTIVE',
  isFork: false,
  isEmpty: false,
  topics: [],
  changed,
});

/** Where git finds a project: where Gerrit says, if that is at its own origin, otherwise below `/a/` (its documentation of HTTP uploads). */
export function cloneURLOf(name: string, { download }: GerritServer, url: string): string {
  const path = encodedPath(name);
  const said = download.schemes.http?.url.replaceAll('${project}', () => path) ?? '';
  if (said.includes(path) && URL.canParse(said)) {
    const address = new URL(said);
    address.username = '';
    address.password = '';
    if (address.origin === new URL(url).origin) return address.href;
  }
  return `${url}/a/${path}`;
}

/** Where git finds a project over ssh, where Gerrit says so; as the account whose token it is, unless it names another. */
export function sshURLOf(name: string, { download }: GerritServer, username: string): string | undefined {
  const said = download.schemes.ssh?.url.replaceAll('${project}', () => encodedPath(name)) ?? '';
  if (!said.startsWith('ssh://') || !said.includes(encodedPath(name)) || !URL.canParse(said)) return undefined;
  const address = new URL(said);
  if (address.username === '') address.username = username;
  address.password = '';
  return address.href;
}

const encodedPath = (name: string): string => name.split('/').map(encodeURIComponent).join('/');
