import { describe, expect, it } from 'vitest';
import { config, unknownPermissions } from './config.ts';

const mistakesIn = (given: unknown): string[] =>
  (config.safeParse(given).error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);

describe('users and roles of the configuration', () => {
  it('are read as the contract writes them', () => {
    const given = {
      users: [
        { name: 'alice', email: 'alice@example.com', roles: ['team-shop'] },
        { name: 'build-bot', serviceAccount: true },
        { name: 'root', siteAdmin: true },
      ],
      roles: { User: { permissions: [] }, 'team-shop': { permissions: ['MCP#ACCESS'] } },
    };
    expect(mistakesIn(given)).toEqual([]);
    expect(config.parse({})).toEqual({ users: [], roles: {} });
  });

  it('may name only roles that exist, and the nearest is suggested', () => {
    const roles = { 'team-shop': { permissions: [] } };
    expect(mistakesIn({ roles, users: [{ name: 'a' }, { name: 'b', roles: ['team-shop', 'team-shp'] }] })).toEqual([
      'users.1.roles.1: is no custom role (did you mean "team-shop"?)',
    ]);
    expect(mistakesIn({ roles, users: [{ name: 'a', roles: ['kitchen'] }] })).toEqual([
      'users.0.roles.0: is no custom role (there are team-shop)',
    ]);
    expect(mistakesIn({ users: [{ name: 'a', roles: ['kitchen'] }] })).toEqual([
      'users.0.roles.0: is no custom role (the configuration has none; key "roles")',
    ]);
  });

  it.each(['User', 'Service Account', 'Site Administrator'])('do not give the built-in role %s by name', (role) => {
    expect(mistakesIn({ users: [{ name: 'a', roles: [role] }] })).toEqual([
      'users.0.roles.0: is built in: everyone is a User, and what else one is follows from siteAdmin and serviceAccount',
    ]);
  });

  it('do not edit the role that holds everything', () => {
    const issues = config.safeParse({ roles: { 'Site Administrator': { permissions: [] } } }).error?.issues ?? [];
    expect(
      issues.flatMap((issue) => (issue.code === 'invalid_key' ? issue.issues.map(({ message }) => message) : [])),
    ).toEqual(['holds every permission and cannot be edited']);
  });

  it('have names that are unique whatever the case', () => {
    expect(mistakesIn({ users: [{ name: 'Alice' }, { name: 'bob' }, { name: 'aLICE' }] })).toEqual([
      'users.2.name: must be unique whatever the case',
    ]);
  });

  it('do not leave the server without a site administrator', () => {
    expect(mistakesIn({ users: [{ name: 'admin' }] })).toEqual([
      'users.0: "admin" needs "siteAdmin: true" unless another user here has it',
    ]);
    expect(mistakesIn({ users: [{ name: 'admin' }, { name: 'root', siteAdmin: true }] })).toEqual([]);
  });

  it.each(['mcp#access', 'MCP', 'MCP#', '#ACCESS', 'MCP#ACCESS#X', 'MCP ACCESS', 'MCP#ACCESS\n'])(
    'refuse the permission %j',
    (permission) => {
      expect(mistakesIn({ roles: { team: { permissions: [permission] } } })).toEqual([
        'roles.team.permissions.0: must be NAMESPACE#ACTION, such as MCP#ACCESS',
      ]);
    },
  );

  it.each(['', '-x', '.a', 'a b', 'ä', 'a/b', 'a'.repeat(101)])('refuse the user name %j', (name) => {
    expect(mistakesIn({ users: [{ name }] })).toEqual([expect.stringContaining('users.0.name: must be 1–100 letters')]);
  });

  it('refuse what is no e-mail address', () => {
    expect(mistakesIn({ users: [{ name: 'a', email: 'a at example.com' }] })).toEqual([
      'users.0.email: must be an e-mail address',
    ]);
  });
});

it('a permission that no plugin asks for is a mistake, and the nearest is suggested', () => {
  const known = ['ANALYTICS#READ', 'MCP#ACCESS'];
  const { roles } = config.parse({ roles: { team: { permissions: ['MCP#ACCESS', 'MCP#ACESS'] } } });
  expect(unknownPermissions(roles, known)).toEqual([
    {
      path: ['roles', 'team', 'permissions', 1],
      text: 'no loaded plugin asks for "MCP#ACESS". Did you mean "MCP#ACCESS"? Known: ANALYTICS#READ, MCP#ACCESS',
    },
  ]);
});
