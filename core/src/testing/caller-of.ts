import { mcpAccess } from '../calls/policy.ts';
import type { Caller } from '../calls/policy.ts';

export interface CallerOptions {
  id?: number;
  roles?: readonly string[];
  permissions?: readonly string[];
  scopes?: readonly string[];
  isSiteAdmin?: boolean;
  isServiceAccount?: boolean;
}

/** A caller for tests: an ordinary user with access to MCP unless said otherwise. */
export function callerOf(name: string, options: CallerOptions = {}): Caller {
  const { id = 1, roles = [], permissions = [mcpAccess], scopes = ['all'] } = options;
  const { isSiteAdmin = false, isServiceAccount = false } = options;
  return {
    user: { id, name, isSiteAdmin, isServiceAccount },
    roles: new Set(roles),
    permissions: new Set(permissions),
    scopes: new Set(scopes),
    credential: `test-${id}`,
  };
}
