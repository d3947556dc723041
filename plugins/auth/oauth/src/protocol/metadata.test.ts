import { temporaryFolder } from '@sextant/contracts/testing';
import { expect, it } from 'vitest';
import type { ServerSettings } from '@sextant/core';
import { origin, startOAuth } from '../testing/start-oauth.ts';

async function read(path: string, settings: Partial<ServerSettings> = {}): Promise<unknown> {
  using folder = temporaryFolder();
  await using server = await startOAuth(folder.path, { settings });
  const response = await server.fetch(origin + path);
  return response.status === 200 ? response.json() : `${response.status} ${await response.text()}`;
}

it.each(['', '/all', '/deepsearch', '/v1', '/review'])(
  'RFC 9728: the endpoint /.api/mcp%s says where its tokens come from, and lists only the scope mcp',
  async (below) => {
    expect(await read(`/.well-known/oauth-protected-resource/.api/mcp${below}`)).toEqual({
      resource: `${origin}/.api/mcp${below}`,
      authorization_servers: [origin],
      scopes_supported: ['mcp'],
      bearer_methods_supported: ['header'],
      resource_name: 'Sextant',
    });
  },
);

it('RFC 9728: what is no endpoint is no resource, and with MCP switched off nothing is', async () => {
  expect(await read('/.well-known/oauth-protected-resource/.api/mcp/other')).toBe('404 not found');
  expect(await read('/.well-known/oauth-protected-resource/.api/mcp', { isMcpEnabled: false })).toBe('404 not found');
});

it.each(['oauth-authorization-server', 'openid-configuration'])(
  'RFC 8414: /.well-known/%s has exactly these paths',
  async (name) => {
    expect(await read(`/.well-known/${name}`)).toMatchObject({
      issuer: origin,
      authorization_endpoint: `${origin}/.auth/idp/oauth/authorize`,
      token_endpoint: `${origin}/.auth/idp/oauth/token`,
      registration_endpoint: `${origin}/.auth/idp/oauth/register`,
      revocation_endpoint: `${origin}/.auth/idp/oauth/revoke`,
      introspection_endpoint: `${origin}/.auth/idp/oauth/introspect`,
      device_authorization_endpoint: `${origin}/.auth/idp/oauth/device/code`,
      userinfo_endpoint: `${origin}/.auth/idp/oauth/userinfo`,
      jwks_uri: `${origin}/.auth/idp/oauth/jwks`,
      scopes_supported: ['mcp'],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
      grant_types_supported: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
    });
  },
);

it('RFC 8414: names no place to register where clients may not', async () => {
  for (const settings of [{ isClientRegistrationEnabled: false }, { isMcpEnabled: false }])
    expect(await read('/.well-known/oauth-authorization-server', settings)).not.toHaveProperty('registration_endpoint');
});

it('publishes the public halves of its keys only', async () => {
  expect(await read('/.auth/idp/oauth/jwks')).toMatchObject({ keys: [{ kty: 'EC', use: 'sig', alg: 'ES256' }] });
  expect(JSON.stringify(await read('/.auth/idp/oauth/jwks'))).not.toContain('"d":');
});
