import { SextantError } from './errors.ts';
import { token } from '../plugins/token.ts';
import type { Needs, Resolved } from '../plugins/token.ts';

/** A right, as `NAMESPACE#ACTION`. */
export type Permission = `${string}#${string}`;

/** What a token may be used for. `all` includes the others. */
export const scopes = ['all', 'mcp', 'analytics'] as const;
export type Scope = (typeof scopes)[number];

/** The permission without which nobody reaches an MCP endpoint. */
export const mcpAccess: Permission = 'MCP#ACCESS';

/** The right to administer the server and to see all of its state. Site administrators hold every permission. */
export const siteAdministration: Permission = 'SITE#ADMINISTER';

/** Roles that always exist. `User` and `Service Account` can be edited; `Site Administrator` holds everything. */
export const builtInRoles = {
  siteAdministrator: 'Site Administrator',
  user: 'User',
  serviceAccount: 'Service Account',
} as const;

/** Who makes a call, and what they may do. Made by an authenticator; trusted from there on. */
export interface Caller {
  readonly user: CallerUser;
  readonly roles: ReadonlySet<string>;
  readonly permissions: ReadonlySet<string>;
  readonly scopes: ReadonlySet<string>;
  /** The credential that was shown, as an id that is not secret; calls in flight are counted by user. */
  readonly credential: string;
}

export interface CallerUser {
  /** Never changes and is never given to someone else. */
  readonly id: number;
  readonly name: string;
  readonly email?: string;
  readonly isServiceAccount: boolean;
  readonly isSiteAdmin: boolean;
}

export const hasScope = (caller: Caller, scope: Scope): boolean => caller.scopes.has(scope) || caller.scopes.has('all');

export const hasPermission = (caller: Caller, permission: Permission): boolean =>
  caller.user.isSiteAdmin || caller.permissions.has(permission);

/**
 * Lets a caller through to the MCP endpoints: scope `mcp` and the permission `MCP#ACCESS`.
 * Throws `insufficient_scope` (RFC 6750 section 3.1) or `forbidden`.
 */
export function requireMcpAccess(caller: Caller): void {
  requireScope(caller, 'mcp');
  if (!hasPermission(caller, mcpAccess)) throw new SextantError('forbidden', 'forbidden');
}

/** Throws `insufficient_scope` unless the caller's token has the scope. */
export function requireScope(caller: Caller, scope: Scope): void {
  if (hasScope(caller, scope)) return;
  throw new SextantError('insufficient_scope', `this needs a token with the scope "${scope}"`);
}

/** What an authenticator may look at. */
export interface Credentials {
  readonly headers: Headers;
  /** Address of the other side, or undefined where there is none (standard input, tests). */
  readonly remoteAddress?: string;
  /** Path of the request; some credentials are good for one endpoint only. */
  readonly path?: string;
}

export interface AuthenticatorDefinition<N extends Needs> {
  name: string;
  needs: N;
  /**
   * Whether browsers send these credentials by themselves, for any page that asks (cookies). They are then accepted for
   * pages and reports only, never for MCP. A request that may change something must also come from a page of this
   * server.
   */
  isAmbient?: boolean;
  /** The caller, or undefined when the credentials are not of this kind or not good. Never throws for bad ones. */
  authenticate(credentials: Credentials, services: Resolved<N>): Promise<Caller | undefined>;
  /** A credential for the administrator on the very first start, printed once; undefined on every later start. */
  firstCredential?(services: Resolved<N>): Promise<string | undefined>;
  /** A link that signs the administrator in to a browser; asked for once, when there was a first credential. */
  firstSignIn?(services: Resolved<N>): Promise<string>;
}

export interface Authenticator {
  readonly name: string;
  readonly needs: Needs;
  readonly isAmbient?: boolean;
  authenticate(credentials: Credentials, services: Resolved<Needs>): Promise<Caller | undefined>;
  firstCredential?(services: Resolved<Needs>): Promise<string | undefined>;
  firstSignIn?(services: Resolved<Needs>): Promise<string>;
}

/** Finds users for callers that show no credential: the terminal of the operator. */
export interface Principals {
  /** A caller with the scopes of `all` for an enabled user; undefined when there is none of that name. */
  named(name: string): Promise<Caller | undefined>;
}

export const Principals = token<Principals>('principals');
