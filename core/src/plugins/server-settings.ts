import { token } from './token.ts';

/** The settings of the host that plugins may need; always provided. A change restarts the plugins that need them. */
export interface ServerSettings {
  readonly isMcpEnabled: boolean;
  /** Paths of all MCP endpoints, the operator's own too, also while MCP is switched off. */
  readonly endpoints: readonly string[];
  /** Whether OAuth clients that nobody named may register themselves, and those that did may go on. */
  readonly isClientRegistrationEnabled: boolean;
}

export const ServerSettings = token<ServerSettings>('server-settings');
