import { temporaryFolder } from '@sextant/contracts/testing';
import { hasPermission, mcpAccess } from '@sextant/core';
import type { Caller } from '@sextant/core';
import type { Directory } from '@sextant/contracts';
import { describe, expect, it } from 'vitest';
import { startDirectory } from './testing/start-directory.ts';

/** What a user may do now. */
const callerOf = async (directory: Directory, name: string): Promise<Caller | undefined> =>
  directory.callerFor({ userId: (await directory.find(name))?.id ?? 0, scopes: ['mcp'], credential: 'test' });

describe('the administrator', () => {
  it('exists from the first start as site administrator, and holds everything', async () => {
    using folder = temporaryFolder();
    await using started = await startDirectory(folder.path);
    expect(await started.directory.list()).toEqual([
      {
        id: 1,
        name: 'admin',
        isServiceAccount: false,
        isSiteAdmin: true,
        isDisabled: false,
        roles: [],
        managedBy: 'database',
      },
    ]);
    const caller = await started.principals.named('admin');
    expect(caller && hasPermission(caller, 'ANY#THING')).toBe(true);
    expect([...(caller?.scopes ?? [])]).toContain('all');
  });

  it('is disabled only while another site administrator is enabled, and stays so', async () => {
    using folder = temporaryFolder();
    {
      await using started = await startDirectory(folder.path);
      const { directory } = started;
      const refusal = {
        code: 'conflict',
        message: 'admin is the last site administrator; make another one first: user add NAME --site-admin',
      };
      await expect(directory.setDisabled('admin', true)).rejects.toMatchObject(refusal);
      await directory.add({ name: 'root', isSiteAdmin: true });
      await directory.setDisabled('root', true);
      await expect(directory.setDisabled('admin', true)).rejects.toMatchObject(refusal);
      await directory.setDisabled('root', false);
      expect(await directory.setDisabled('admin', true)).toMatchObject({ name: 'admin', isDisabled: true });
      await expect(directory.setDisabled('root', true)).rejects.toMatchObject({ code: 'conflict' });
      expect(await callerOf(directory, 'admin')).toBeUndefined();
    }
    await using again = await startDirectory(folder.path);
    expect(await again.directory.find('admin')).toMatchObject({ isDisabled: true });
    expect(await again.principals.named('admin')).toBeUndefined();
  });

  it('may be disabled while the configuration names a site administrator', async () => {
    using folder = temporaryFolder();
    await using started = await startDirectory(folder.path, { users: [{ name: 'root', siteAdmin: true }] });
    expect(await started.directory.setDisabled('ADMIN', true)).toMatchObject({ isDisabled: true });
  });
});

describe('users of the database', () => {
  it('have names that are unique whatever the case, and are found whatever the case', async () => {
    using folder = temporaryFolder();
    await using started = await startDirectory(folder.path);
    await started.directory.add({ name: 'Alice', email: 'alice@example.com' });
    expect(await started.directory.find('aLICE')).toMatchObject({ id: 2, name: 'Alice', email: 'alice@example.com' });
    await expect(started.directory.add({ name: 'ALICE' })).rejects.toMatchObject({
      code: 'conflict',
      message: 'the name "ALICE" is taken by user 2',
    });
    await started.directory.setDisabled('alice', true);
    await expect(started.directory.add({ name: 'alice' })).rejects.toThrow(
      'taken by user 2, who is disabled; user enable Alice lets it in again',
    );
    expect((await started.directory.list()).map(({ name }) => name)).toEqual(['admin', 'Alice']);
  });

  it('are refused with a bad name, e-mail address or role', async () => {
    using folder = temporaryFolder();
    await using started = await startDirectory(folder.path, { roles: { 'team-shop': { permissions: [] } } });
    const refusals = [
      [{ name: 'a b' }, 'the name of a user must be 1–100 letters'],
      [{ name: 'a', email: 'nothing' }, 'the email of a user must be an e-mail address'],
      [{ name: 'a', roles: ['team-sop'] }, 'the role "team-sop" is no custom role (did you mean "team-shop"?)'],
    ] as const;
    for (const [user, message] of refusals)
      await expect(started.directory.add(user)).rejects.toMatchObject({
        code: 'invalid_argument',
        message: expect.stringContaining(message),
      });
    expect(await started.directory.list()).toHaveLength(1);
  });

  it('that do not exist are named with the nearest one', async () => {
    using folder = temporaryFolder();
    await using started = await startDirectory(folder.path);
    await expect(started.directory.setDisabled('admn', true)).rejects.toMatchObject({
      code: 'not_found',
      message: 'there is no user "admn". Did you mean "admin"? user list shows all',
    });
    expect(await started.principals.named('admn')).toBeUndefined();
    expect(await started.directory.callerFor({ userId: 99, scopes: [], credential: 'x' })).toBeUndefined();
  });
});

describe('users of the configuration', () => {
  const alice = { name: 'alice', email: 'alice@example.com', roles: ['team'] };
  const roles = { team: { permissions: ['TEAM#READ'] } };

  it('are kept as it says, and changed only there', async () => {
    using folder = temporaryFolder();
    await using started = await startDirectory(folder.path, { users: [alice], roles });
    expect(await started.directory.find('alice')).toEqual({
      id: 2,
      name: 'alice',
      email: 'alice@example.com',
      isServiceAccount: false,
      isSiteAdmin: false,
      isDisabled: false,
      roles: ['team'],
      managedBy: 'config',
    });
    for (const isDisabled of [true, false])
      await expect(started.directory.setDisabled('alice', isDisabled)).rejects.toMatchObject({
        code: 'conflict',
        message: 'alice is managed by the configuration file; change it there (key "users")',
      });
  });

  it('are disabled when it no longer names them, and come back with their id', async () => {
    using folder = temporaryFolder();
    const startWith = (users: { name: string }[]) => startDirectory(folder.path, { users });
    {
      await using first = await startWith([{ name: 'alice' }, { name: 'bob' }]);
      expect((await first.directory.list()).map(({ id, name }) => [id, name])).toEqual([
        [1, 'admin'],
        [2, 'alice'],
        [3, 'bob'],
      ]);
    }
    {
      await using without = await startWith([{ name: 'carol' }]);
      expect(await without.directory.find('alice')).toMatchObject({ id: 2, isDisabled: true });
      expect(await callerOf(without.directory, 'alice')).toBeUndefined();
      expect(await without.directory.find('carol')).toMatchObject({ id: 4 });
    }
    await using again = await startWith([{ name: 'Alice' }]);
    expect(await again.directory.find('alice')).toMatchObject({
      id: 2,
      name: 'Alice',
      isDisabled: false,
      managedBy: 'config',
    });
  });

  it('are not touched by a process that has another configuration', async () => {
    using folder = temporaryFolder();
    await using server = await startDirectory(folder.path, { users: [alice], roles });
    await using terminal = await startDirectory(folder.path);
    expect(await terminal.directory.find('alice')).toMatchObject({ isDisabled: true });
    expect(await callerOf(server.directory, 'alice')).toMatchObject({ user: { id: 2, name: 'alice' } });
  });

  it('take over a user of the database of the same name, who comes back as it was', async () => {
    using folder = temporaryFolder();
    {
      await using before = await startDirectory(folder.path);
      await before.directory.add({ name: 'alice', isServiceAccount: true });
    }
    {
      await using during = await startDirectory(folder.path, { users: [alice], roles });
      expect(await during.directory.find('alice')).toMatchObject({
        id: 2,
        isServiceAccount: false,
        managedBy: 'config',
      });
    }
    await using after = await startDirectory(folder.path);
    expect(await after.directory.find('alice')).toMatchObject({
      id: 2,
      isServiceAccount: true,
      isDisabled: false,
      managedBy: 'database',
    });
  });
});

describe('permissions', () => {
  it('are the union of those of all roles; every user has MCP#ACCESS from User by default', async () => {
    using folder = temporaryFolder();
    const roles = { red: { permissions: ['RED#SEE'] }, blue: { permissions: ['BLUE#SEE', 'RED#SEE'] } };
    await using started = await startDirectory(folder.path, {
      users: [{ name: 'alice', roles: ['red', 'blue'] }],
      roles,
    });
    const caller = await callerOf(started.directory, 'alice');
    expect([...(caller?.roles ?? [])]).toEqual(['User', 'red', 'blue']);
    expect([...(caller?.permissions ?? [])].toSorted()).toEqual(['BLUE#SEE', 'MCP#ACCESS', 'RED#SEE']);
  });

  it('restrict MCP: take MCP#ACCESS from User and give a custom role that has it', async () => {
    using folder = temporaryFolder();
    const roles = { User: { permissions: [] }, team: { permissions: [mcpAccess] } };
    const users = [{ name: 'alice', roles: ['team'] }, { name: 'bob' }, { name: 'bot', serviceAccount: true }];
    await using started = await startDirectory(folder.path, { users, roles });
    const mayUse = async (name: string): Promise<boolean> =>
      hasPermission((await callerOf(started.directory, name)) ?? nobody, mcpAccess);
    expect(await Promise.all(['alice', 'bob', 'bot', 'admin'].map(mayUse))).toEqual([true, false, false, true]);
  });

  it('of service accounts include those of Service Account', async () => {
    using folder = temporaryFolder();
    const roles = { 'Service Account': { permissions: ['BOT#RUN'] } };
    await using started = await startDirectory(folder.path, {
      users: [{ name: 'bot', serviceAccount: true }, { name: 'alice' }],
      roles,
    });
    expect([...((await callerOf(started.directory, 'bot'))?.permissions ?? [])]).toEqual(['MCP#ACCESS', 'BOT#RUN']);
    expect([...((await callerOf(started.directory, 'alice'))?.permissions ?? [])]).toEqual(['MCP#ACCESS']);
  });

  it('hold as another process changes them, for the next call', async () => {
    using folder = temporaryFolder();
    await using server = await startDirectory(folder.path);
    await using terminal = await startDirectory(folder.path);
    await terminal.directory.add({ name: 'alice' });
    expect(await callerOf(server.directory, 'alice')).toMatchObject({ credential: 'test', user: { name: 'alice' } });
    await terminal.directory.setDisabled('alice', true);
    expect(await callerOf(server.directory, 'alice')).toBeUndefined();
    await terminal.directory.setDisabled('alice', false);
    expect(await callerOf(server.directory, 'alice')).toBeDefined();
  });
});

const nobody: Caller = {
  user: { id: 0, name: '', isServiceAccount: false, isSiteAdmin: false },
  roles: new Set(),
  permissions: new Set(),
  scopes: new Set(),
  credential: '',
};

describe('the commands', () => {
  it('add, list, disable and enable users', async () => {
    using folder = temporaryFolder();
    const settings = { users: [{ name: 'root', siteAdmin: true }], roles: { team: { permissions: [] } } };
    await using started = await startDirectory(folder.path, settings);
    const { run } = started;
    expect(await run('user add', { name: 'bot', email: 'bot@example.com', serviceAccount: true, role: ['team'] })).toBe(
      'added bot as user 3; a token for it: token create --user bot',
    );
    expect(await run('user disable', { name: 'bot' })).toBe('bot is disabled; its tokens no longer work');
    expect(await run('user list', {})).toBe(
      [
        'ID  NAME   E-MAIL           KIND              ROLES  STATE     MANAGED BY',
        '1   admin                   user, site admin         enabled   database',
        '3   bot    bot@example.com  service account   team   disabled  database',
        '2   root                    user, site admin         enabled   config',
      ].join('\n'),
    );
    expect(await run('user enable', { name: 'bot' })).toBe('bot is enabled; its tokens work again');
    await expect(run('user disable', { name: 'root' })).rejects.toThrow('root is managed by the configuration file');
  });
});

describe('custom roles', () => {
  const config = {
    roles: { team: { permissions: ['MCP#ACCESS'] }, User: { permissions: [] } },
    users: [{ name: 'kept' }],
  };

  it('are set by name, count at once, and are gone when they are left out', async () => {
    using folder = temporaryFolder();
    await using started = await startDirectory(folder.path, config);
    const { directory } = started;
    await directory.add({ name: 'carol' });
    const mayCall = async (): Promise<boolean> =>
      (await callerOf(directory, 'carol'))?.permissions.has(mcpAccess) ?? false;
    expect(await mayCall()).toBe(false);
    expect(await started.run('user roles', { name: 'CAROL', role: ['team', 'team'] })).toBe('carol has team');
    expect(await mayCall()).toBe(true);
    expect((await directory.setRoles('carol', [])).roles).toEqual([]);
    expect(await mayCall()).toBe(false);
  });

  it('must exist, and those of users of the configuration are changed there', async () => {
    using folder = temporaryFolder();
    await using started = await startDirectory(folder.path, config);
    const { directory } = started;
    await expect(directory.setRoles('admin', ['tem'])).rejects.toMatchObject({
      code: 'invalid_argument',
      message: 'the role "tem" is no custom role (did you mean "team"?)',
    });
    await expect(directory.setRoles('kept', ['team'])).rejects.toMatchObject({ code: 'conflict' });
    await expect(directory.setRoles('nobody', [])).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('roles', () => {
  it('lists the built-in ones first, with what they permit and who keeps them', async () => {
    using folder = temporaryFolder();
    await using started = await startDirectory(folder.path, { roles: { team: { permissions: ['B#B', 'A#A'] } } });
    await started.directory.saveRole({ name: 'auditors', permissions: ['AUDIT#READ'] });
    expect(await started.directory.roles()).toEqual([
      { name: 'Site Administrator', permissions: [], isBuiltIn: true, managedBy: 'database' },
      { name: 'User', permissions: [mcpAccess], isBuiltIn: true, managedBy: 'database' },
      { name: 'Service Account', permissions: [], isBuiltIn: true, managedBy: 'database' },
      { name: 'auditors', permissions: ['AUDIT#READ'], isBuiltIn: false, managedBy: 'database' },
      { name: 'team', permissions: ['A#A', 'B#B'], isBuiltIn: false, managedBy: 'config' },
    ]);
  });

  it('restrict MCP: the permission is taken from User and given to a custom role, at once', async () => {
    using folder = temporaryFolder();
    await using started = await startDirectory(folder.path);
    const { directory } = started;
    const mayUse = async (name: string): Promise<boolean | undefined> =>
      (await callerOf(directory, name))?.permissions.has(mcpAccess);
    await directory.add({ name: 'alice' });
    expect(await mayUse('alice')).toBe(true);
    await directory.saveRole({ name: 'User', permissions: [] });
    await directory.saveRole({ name: 'agents', permissions: [mcpAccess] });
    expect(await mayUse('alice')).toBe(false);
    await directory.setRoles('alice', ['agents']);
    expect(await mayUse('alice')).toBe(true);
  });

  it('that users hold, that are built in, or that the configuration keeps are not removed', async () => {
    using folder = temporaryFolder();
    await using started = await startDirectory(folder.path, { roles: { team: { permissions: [] } } });
    const { directory } = started;
    await directory.saveRole({ name: 'agents', permissions: [] });
    await directory.add({ name: 'alice', roles: ['agents'] });
    await expect(directory.removeRole('agents')).rejects.toThrow('held by alice; take it from them first');
    await expect(directory.removeRole('User')).rejects.toMatchObject({ code: 'conflict' });
    await expect(directory.removeRole('team')).rejects.toThrow('managed by the configuration file');
    await expect(directory.saveRole({ name: 'team', permissions: [] })).rejects.toMatchObject({ code: 'conflict' });
    await expect(directory.removeRole('agent')).rejects.toThrow('Did you mean "agents"?');
    await directory.setRoles('alice', []);
    await directory.removeRole('agents');
    expect((await directory.roles()).map(({ name }) => name)).not.toContain('agents');
  });

  it.each([
    ['Site Administrator', []],
    ['', []],
    [' x', []],
    ['x', ['mcp access']],
  ])('are refused with a bad name or permission: %j %j', async (name, permissions) => {
    using folder = temporaryFolder();
    await using started = await startDirectory(folder.path);
    await expect(started.directory.saveRole({ name, permissions })).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});
