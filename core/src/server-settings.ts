import { token } from './token.ts';

/** What the host's part of the configuration says that plugins must know; always provided. A change starts anew those that need it. */
export interface ServerSettings {
  readonly isMcpEnabled: boolean;
  /** Paths of all MCP endpoints, the operator's own too, also while MCP is switched off. */
  readonly endpoints: readonly string[];
  /** Whether OAuth clients that nobody named may register themselves, and those that did may go on. */
  readonly isClientRegistrationEnabled: boolean;
}

export const ServerSettings = token<ServerSettings>('server-settings');
