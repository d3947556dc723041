import { definePlugin } from '@sextant/core';
import { access } from './access.ts';
import { audit, auditExport } from './audit.ts';
import { configuration } from './configuration.ts';
import { overview } from './overview.ts';
import { plugins } from './plugins.ts';
import { repositories } from './repositories.ts';
import { roles } from './roles.ts';
import { sessions } from './sessions.ts';
import { tokens } from './tokens.ts';
import { user } from './user.ts';
import { users } from './users.ts';

export default definePlugin({
  name: 'page-site-admin',
  pages: [
    overview,
    users,
    user,
    roles,
    access,
    tokens,
    sessions,
    plugins,
    repositories,
    audit,
    auditExport,
    configuration,
  ].flat(),
});
