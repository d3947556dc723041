import { Directory } from '@sextant/contracts';
import { startPlugins } from '@sextant/core/testing';
import type { StartedPlugins } from '@sextant/core/testing';
import audit from '@sextant/service-audit';
import directoryPlugin from '@sextant/service-directory';
import { testDatabase } from '@sextant/service-postgres/testing';
import { accessTokens } from '../access-tokens.ts';
import type { AccessTokens } from '../access-tokens.ts';
import plugin from '../index.ts';

export interface StartedAccessTokens extends StartedPlugins {
  readonly directory: Directory;
  readonly tokens: AccessTokens;
  /** What the very first start prints. */
  firstCredential(): Promise<string | undefined>;
}

/** The plugin as a process of its own on a data folder; the configuration names the user alice. */
export async function startAccessTokens(dataFolder: string): Promise<StartedAccessTokens> {
  const started = await startPlugins(dataFolder, [
    [testDatabase],
    [directoryPlugin, { users: [{ name: 'alice' }] }],
    [audit],
    [plugin],
  ]);
  const { services } = started;
  const [authenticator] = plugin.authenticators;
  return {
    ...started,
    ...services.resolve({ directory: Directory, tokens: accessTokens }),
    firstCredential: async () => authenticator?.firstCredential?.(services.resolve(authenticator.needs)),
  };
}
