import { definePlugin } from '@sextant/core';
import { audit } from './audit.ts';
import { configuration } from './configuration.ts';
import { overview } from './overview.ts';
import { plugins } from './plugins.ts';
import { repositories } from './repositories.ts';
import { roles } from './roles.ts';
import { users } from './users.ts';

export default definePlugin({
  name: 'page-site-admin',
  pages: [overview, users, roles, plugins, repositories, audit, configuration].flat(),
});
