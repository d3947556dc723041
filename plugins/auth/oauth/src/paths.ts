/** Where the authorization server answers; the contract has exactly these paths. */
const root = '/.auth/idp/oauth';

export const paths = {
  authorize: `${root}/authorize`,
  token: `${root}/token`,
  register: `${root}/register`,
  revoke: `${root}/revoke`,
  introspect: `${root}/introspect`,
  deviceCode: `${root}/device/code`,
  device: `${root}/device`,
  userinfo: `${root}/userinfo`,
  jwks: `${root}/jwks`,
  consent: '/.auth/idp/consent',
  authorizations: '/settings/authorizations',
  protectedResource: '/.well-known/oauth-protected-resource',
  authorizationServer: '/.well-known/oauth-authorization-server',
  openidConfiguration: '/.well-known/openid-configuration',
} as const;
