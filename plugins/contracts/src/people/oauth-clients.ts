import { token } from '@sextant/core';
import type { Call, Permission } from '@sextant/core';

/** Who may name, change and remove OAuth clients. */
export const manageOAuthClients: Permission = 'OAUTH_CLIENTS#MANAGE';

/** An OAuth client, without its secret. */
export interface OAuthClientInfo {
  readonly clientId: string;
  /** Shown to people who are asked for consent. One that registered itself chose it. */
  readonly name: string;
  readonly redirectUris: readonly string[];
  /** Whether it has a secret. */
  readonly isConfidential: boolean;
  /** `config`: kept as the configuration file says; `operator`: named here; `registered`: by itself (RFC 7591). */
  readonly managedBy: 'config' | 'operator' | 'registered';
  /** RFC 3339 in UTC, as all times here; absent for those of the configuration. */
  readonly created?: string;
  /** When someone last let it in. */
  readonly lastUsed?: string;
}

export interface NewOAuthClient {
  /** 1–100 letters, digits, `.`, `_`, `~`, `-`; absent: one is made up. */
  clientId?: string;
  /** 1–100 characters without control characters. */
  name: string;
  /** At most 20. None: the device flow only. */
  redirectUris: readonly string[];
  isConfidential: boolean;
}

export interface OAuthClientFilter {
  /** Those that registered themselves, newest first; otherwise those that somebody named, by their ids. */
  isRegistered: boolean;
  offset: number;
  limit: number;
}

/** Who asks, and from where. */
export type OAuthClientEditor = Pick<Call, 'caller' | 'remoteAddress'>;

/** The OAuth clients of this server. Everything throws `forbidden` without the permission `OAUTH_CLIENTS#MANAGE`, and takes effect at once. */
export interface OAuthClients {
  list(by: OAuthClientEditor, filter: OAuthClientFilter): Promise<{ clients: OAuthClientInfo[]; total: number }>;
  /** Throws `not_found`. */
  find(by: OAuthClientEditor, clientId: string): Promise<OAuthClientInfo>;
  /** The secret of a confidential one is shown only here. Throws `invalid_argument`, and `conflict` for an id that is taken. */
  create(by: OAuthClientEditor, client: NewOAuthClient): Promise<OAuthClientInfo & { readonly secret?: string }>;
  /** Throws `not_found`, `invalid_argument`, and `conflict` for one that is kept elsewhere. */
  setRedirectUris(
    by: OAuthClientEditor,
    change: { clientId: string; redirectUris: readonly string[] },
  ): Promise<OAuthClientInfo>;
  /** Ends all that it was granted. Throws `not_found`, and `conflict` for one of the configuration. */
  remove(by: OAuthClientEditor, clientId: string): Promise<void>;
}

export const OAuthClients = token<OAuthClients>('oauth-clients');
