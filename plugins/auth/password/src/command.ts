import { defineCommand } from '@sextant/core';
import { z } from 'zod';
import { passwords } from './passwords.ts';

export const userPassword = defineCommand({
  name: 'user password',
  summary: 'set the password with which a user signs in to a browser; read from the terminal or standard input',
  input: z.object({ name: z.string().describe('Name of the user') }),
  positionals: ['name'],
  needs: { passwords },
  output: z.object({ name: z.string() }),
  async run({ name }, { passwords: store }, io) {
    // Before anyone types for nothing.
    const user = await store.personNamed(name);
    await store.set(user.name, await io.readSecret(`New password of ${user.name}: `));
    return { name: user.name };
  },
  toText: ({ name }) => `${name} signs in with this password from now on; all sessions of before have ended`,
});
