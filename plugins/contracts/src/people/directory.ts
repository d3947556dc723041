import { SextantError, didYouMean, token } from '@sextant/core';
import type { Caller } from '@sextant/core';
import type { AuditEvent } from './audit.ts';

/** The administrator that exists from the first start. */
export const administratorName = 'admin';

export interface DirectoryUser {
  /** Given once, never changed, never given to someone else. */
  readonly id: number;
  readonly name: string;
  readonly email?: string;
  readonly isServiceAccount: boolean;
  readonly isSiteAdmin: boolean;
  readonly isDisabled: boolean;
  /** Custom roles; the built-in ones follow from the flags. */
  readonly roles: readonly string[];
  /** `config`: kept as the configuration file says, and changed only there. */
  readonly managedBy: 'config' | 'database';
}

/** What its holders may do. */
export interface DirectoryRole {
  readonly name: string;
  /** `NAMESPACE#ACTION`, sorted. `Site Administrator` holds every one, and lists none. */
  readonly permissions: readonly string[];
  readonly isBuiltIn: boolean;
  /** `config`: kept as the configuration file says, and changed only there. */
  readonly managedBy: 'config' | 'database';
}

export interface NewUser {
  /** 1–100 of a–z, A–Z, 0–9, `.`, `_`, `-`, beginning with a letter or digit; unique whatever the case. */
  name: string;
  email?: string;
  isServiceAccount?: boolean;
  isSiteAdmin?: boolean;
  roles?: readonly string[];
}

/** Who changes a user, for the record. */
export type ChangedBy = Pick<AuditEvent, 'actor' | 'address'>;

export interface CredentialUse {
  userId: number;
  scopes: Iterable<string>;
  /** Identifies the credential without being secret. */
  credential: string;
  /** A version of the database that was read since the call began; absent: it is asked for. */
  asOf?: number | undefined;
}

/** Users, service accounts, roles and their permissions. */
export interface Directory {
  /** Every user by name, disabled ones too. */
  list(): Promise<DirectoryUser[]>;
  /** Undefined when there is none of that name (whatever the case). */
  find(name: string): Promise<DirectoryUser | undefined>;
  /** Throws `invalid_argument` for a bad name or role, `conflict` for a name that is taken. */
  add(user: NewUser, by?: ChangedBy): Promise<DirectoryUser>;
  /** Throws `not_found`, `conflict` for users of the configuration and for the last site administrator. */
  setDisabled(name: string, isDisabled: boolean, by?: ChangedBy): Promise<DirectoryUser>;
  /** Gives a user exactly these custom roles. Throws `not_found`, `invalid_argument` for a bad role, `conflict` for users of the configuration. */
  setRoles(name: string, roles: readonly string[], by?: ChangedBy): Promise<DirectoryUser>;
  /** The built-in ones first, then by name. */
  roles(): Promise<DirectoryRole[]>;
  /**
   * Makes a role, or gives one exactly these permissions. Throws `invalid_argument` for a bad name or permission, `conflict`
   * for roles of the configuration and for `Site Administrator`.
   */
  saveRole(role: Pick<DirectoryRole, 'name' | 'permissions'>, by?: ChangedBy): Promise<DirectoryRole>;
  /** Throws `not_found`; `conflict` for built-in roles, those of the configuration and those that users have. */
  removeRole(name: string, by?: ChangedBy): Promise<void>;
  /** The caller behind a credential, with roles and permissions as they are now; undefined when disabled or removed. */
  callerFor(use: CredentialUse): Promise<Caller | undefined>;
}

export const Directory = token<Directory>('directory');

/** The user of a name. Throws `not_found` with the nearest name. */
export async function userNamed(directory: Directory, name: string): Promise<DirectoryUser> {
  const user = await directory.find(name);
  if (user) return user;
  throw unknownUser(
    name,
    (await directory.list()).map((known) => known.name),
  );
}

/** A user who signs in to a browser. Throws as `userNamed`, and `conflict` for a service account. */
export async function personNamed(directory: Directory, name: string): Promise<DirectoryUser> {
  const user = await userNamed(directory, name);
  if (!user.isServiceAccount) return user;
  throw new SextantError(
    'conflict',
    `${user.name} is a service account; it uses access tokens: token create --user ${user.name}`,
  );
}

/** What to say of a name that no user has, given those that there are. */
export const unknownUser = (name: string, known: readonly string[]): SextantError =>
  new SextantError(
    'not_found',
    `there is no user "${name.slice(0, 100)}".${didYouMean(name, known)} user list shows all`,
  );
