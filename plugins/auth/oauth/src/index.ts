import { Audit, Counters, Database, Directory, OAuthClients, Secrets, Sessions } from '@sextant/contracts';
import { ServerSettings, defineAuthenticator, definePlugin, hourly, optional } from '@sextant/core';
import { ArtifactKeys } from './tokens/artifact-keys.ts';
import { ArtifactStore } from './tokens/artifact-store.ts';
import { ClientAdministration } from './clients/client-administration.ts';
import { ClientStore } from './clients/client-store.ts';
import { commands } from './commands.ts';
import { oauthConfig } from './config.ts';
import { cookieNames } from './cookie-names.ts';
import { readKeys } from './tokens/server-keys.ts';
import { pages } from './pages/pages.ts';
import { Resources } from './protocol/resources.ts';
import { AuthorizationServer, authorizationServer } from './server.ts';
import { migrations } from './tables.ts';
import type { OAuthTables } from './tables.ts';
import { TokenCheck, secretIn } from './tokens/token-check.ts';

const authenticator = defineAuthenticator({
  name: 'oauth',
  needs: { server: authorizationServer },
  async authenticate({ headers, path }, { server }) {
    const secret = secretIn(headers);
    if (secret === undefined || path === undefined) return undefined;
    const resource = server.parts.resources.of(path.replace(/\/$/, ''));
    return server.parts.check.callerOf(secret, resource);
  },
});

export default definePlugin({
  name: 'auth-oauth',
  config: oauthConfig,
  topLevel: ['oauthClients'],
  needs: {
    database: Database,
    secrets: Secrets,
    directory: Directory,
    sessions: Sessions,
    settings: ServerSettings,
    audit: optional(Audit),
  },
  provides: { server: authorizationServer, clients: OAuthClients },
  authenticators: [authenticator],
  pages,
  commands,
  async start(
    { oauthClients: configured, redirectSchemes },
    { database, secrets, directory, sessions, settings, audit },
    context,
  ) {
    const { externalURL, log } = context;
    const registration = { isEnabled: settings.isClientRegistrationEnabled, redirectSchemes };
    const db = await database.open<OAuthTables>({ name: 'oauth', migrations });
    const counters = await Counters.open({ database, secrets, name: 'oauth' });
    const serverKeys = await readKeys(secrets);
    const artifacts = new ArtifactStore(db);
    const clients = new ClientStore({ db, artifacts, database, configured, registration });
    const administration = new ClientAdministration(clients, audit);
    const resources = new Resources(externalURL, settings.endpoints);
    const keys = new ArtifactKeys(serverKeys.cookies.at(-1) ?? '');
    const stores = { artifacts, clients, keys, directory, resources };
    const options = { ...stores, serverKeys, externalURL, registration, audit, log };
    const provider = lazily(async () => (await import('./protocol/provider.ts')).createProvider(options));
    const check = new TokenCheck({ artifacts, clients, directory, database, resources });
    const sweep = hourly(() => artifacts.sweep(), { log, failure: 'expired tokens were not removed' });
    const parts = {
      provider,
      artifacts,
      counters,
      clients,
      administration,
      check,
      resources,
      sessions,
      directory,
      settings,
      audit,
      externalURL,
      cookieNames: cookieNames(externalURL),
      secrets,
      registration,
    };
    return {
      server: { value: new AuthorizationServer(parts), close: () => sweep.close() },
      clients: { value: administration },
    };
  },
});

/** Makes a value when it is first wanted. Loading the library of the protocol takes longer than the start of all other plugins. */
function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
