import { z } from 'zod';

const text = z.string().min(1).max(200);
const claim = z.string().regex(/^[^\p{C}]{1,100}$/u, 'must be the name of a claim');
const loopback = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/** Over http anyone in between could sign in as anyone; a provider on this machine has nobody in between. */
const isSafe = (issuer: string): boolean => {
  const url = URL.parse(issuer);
  return url?.protocol === 'https:' || loopback.test(url?.hostname ?? '');
};

export const oidcConfig = z
  .object({
    provider: z
      .enum(['oidc', 'github'])
      .default('oidc')
      .describe('github: sign in with GitHub, which has OAuth but no OpenID Connect'),
    issuer: z
      .url({ protocol: /^https?$/ })
      .refine(isSafe, 'must begin with https://')
      .describe(
        'The provider, as its discovery document names it, or the address of GitHub; none: this way to sign in is off',
      )
      .optional(),
    clientId: text.describe('What the provider calls this server').optional(),
    clientSecret: text.describe('A reference such as ${env:OIDC_SECRET}; none: a public client').optional(),
    title: text.default('Sign in with single sign-on').describe('What the button says'),
    scopes: z
      .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'must be a scope (RFC 6749 section 3.3)'))
      .default(['openid', 'profile', 'email'])
      .refine((scopes) => scopes.includes('openid'), 'must have "openid"')
      .describe('Of OpenID Connect'),
    organizations: z
      .array(z.string().regex(/^[A-Za-z0-9_-]{1,100}$/, 'must be a login of GitHub'))
      .default([])
      .describe('Of GitHub: only members of one of these are let in, and are in a group of its name'),
    nameClaim: claim.default('preferred_username').describe('What new users are called after'),
    groupsClaim: claim.default('groups').describe('Where the groups of a person stand'),
    roles: z
      .record(z.string().min(1), z.string().min(1))
      .default({})
      .describe('Group to custom role; set at each sign-in. Roles that are not named here stay as they are'),
    allowedEmailDomains: z
      .array(z.string().regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, 'must be a domain in lower case'))
      .default([])
      .describe(
        'Only people with a verified e-mail address there are let in; none: everyone whom the provider lets in',
      ),
    createUsers: z.boolean().default(true).describe('false: only people who are users already are let in'),
    linkByEmail: z
      .boolean()
      .default(true)
      .describe('Whether a verified e-mail address that one user has makes a person that user, once'),
  })
  .refine(({ issuer, clientId }) => issuer === undefined || clientId !== undefined, {
    path: ['clientId'],
    message: 'is needed with an issuer',
  })
  .refine(({ provider, clientSecret }) => provider === 'oidc' || clientSecret !== undefined, {
    path: ['clientSecret'],
    message: 'is needed by GitHub',
  })
  .refine(
    ({ provider, organizations, allowedEmailDomains, createUsers }) =>
      provider === 'oidc' || organizations.length + allowedEmailDomains.length > 0 || !createUsers,
    {
      path: ['organizations'],
      message:
        'must name one, or allowedEmailDomains, or createUsers must be false: everyone can have an account at GitHub',
    },
  )
  .refine(
    ({ issuer, allowedEmailDomains, createUsers }) =>
      URL.parse(issuer ?? '')?.host !== 'gitlab.com' || allowedEmailDomains.length > 0 || !createUsers,
    {
      path: ['allowedEmailDomains'],
      message: 'must name one, or createUsers must be false: everyone can have an account at gitlab.com',
    },
  );

export type OidcConfig = z.output<typeof oidcConfig>;

/** The settings of a provider that is switched on. */
export type ProviderConfig = OidcConfig & { readonly issuer: string; readonly clientId: string };

export const isSwitchedOn = (config: OidcConfig): config is ProviderConfig =>
  config.issuer !== undefined && config.clientId !== undefined;
