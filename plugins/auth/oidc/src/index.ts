import { Audit, Counters, Database, Directory, Identities, Secrets, Sessions } from '@sextant/contracts';
import { definePlugin, optional } from '@sextant/core';
import { commands } from './commands.ts';
import { isSwitchedOn, oidcConfig } from './config.ts';
import { diagnoseProvider } from './discover.ts';
import { LinkStore } from './link-store.ts';
import { pages } from './pages.ts';
import { startPath } from './paths.ts';
import { SignIn, oidc } from './sign-in.ts';
import { migrations } from './tables.ts';
import type { OidcTables } from './tables.ts';

export default definePlugin({
  name: 'auth-oidc',
  config: oidcConfig,
  needs: {
    database: Database,
    secrets: Secrets,
    directory: Directory,
    sessions: Sessions,
    audit: optional(Audit),
  },
  provides: { oidc, identities: Identities },
  pages,
  commands,
  diagnose: async (config) =>
    isSwitchedOn(config) && config.provider === 'oidc' ? [await diagnoseProvider(config)] : [],
  async start(config, { database, secrets, ...services }, { externalURL, log }) {
    const links = new LinkStore(await database.open<OidcTables>({ name: 'oidc', migrations }));
    if (!isSwitchedOn(config))
      return { oidc: { value: { signIn: undefined, links, issuer: undefined } }, identities: { value: links } };
    const counters = await Counters.open({ database, secrets, name: 'oidc' });
    const signIn = new SignIn({ config, links, counters, externalURL, log, ...services });
    const withdraw = services.sessions.offer({ name: 'oidc', title: config.title, path: startPath });
    return {
      oidc: { value: { signIn, links, issuer: config.issuer }, close: async () => withdraw() },
      identities: { value: links },
    };
  },
});
