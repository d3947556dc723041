import { describe, expect, test } from 'vitest';
import { hasPermission, hasScope, requireMcpAccess, requireScope } from './policy.ts';
import { callerOf } from '../testing/caller-of.ts';

describe('the MCP endpoints need scope mcp and the permission MCP#ACCESS', () => {
  test.each([
    ['both', { scopes: ['mcp'], permissions: ['MCP#ACCESS'] }],
    ['an access token with all has it', { scopes: ['all'], permissions: ['MCP#ACCESS'] }],
    ['a site administrator holds everything', { scopes: ['mcp'], permissions: [], isSiteAdmin: true }],
  ])('let in: %s', (_case, options) => {
    expect(() => requireMcpAccess(callerOf('a', options))).not.toThrow();
  });

  test('without the permission: forbidden', () => {
    const caller = callerOf('a', { scopes: ['mcp'], permissions: ['OTHER#ACCESS'] });
    expect(() => requireMcpAccess(caller)).toThrow(
      expect.objectContaining({ code: 'forbidden', message: 'forbidden' }),
    );
  });

  test.each([[['analytics']], [[]]])('with the scopes %j: insufficient_scope, site administrator or not', (scopes) => {
    const caller = callerOf('a', { scopes, isSiteAdmin: true });
    expect(() => requireMcpAccess(caller)).toThrow(
      expect.objectContaining({ code: 'insufficient_scope', message: 'this needs a token with the scope "mcp"' }),
    );
  });
});

test('all includes the other scopes, and no other scope includes any', () => {
  expect(hasScope(callerOf('a', { scopes: ['all'] }), 'analytics')).toBe(true);
  expect(hasScope(callerOf('a', { scopes: ['mcp'] }), 'analytics')).toBe(false);
  expect(() => requireScope(callerOf('a', { scopes: ['analytics'] }), 'all')).toThrow('scope "all"');
});

test('a permission is held by name', () => {
  expect(hasPermission(callerOf('a', { permissions: ['X#Y'] }), 'X#Y')).toBe(true);
  expect(hasPermission(callerOf('a', { permissions: ['X#Y'] }), 'X#Z')).toBe(false);
});
