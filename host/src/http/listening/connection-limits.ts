import { mostDescriptors } from '@sextant/core';
import type { HostSettings } from '../../server/settings.ts';

export type ConnectionLimits = Pick<HostSettings['limits'], 'connections' | 'connectionsPerAddress'>;

/** The bounds of connections in force: files, git and the database need descriptors too, and no address may take all. */
export function connectionLimits(wanted: ConnectionLimits): ConnectionLimits {
  const connections = Math.min(wanted.connections, Math.floor(mostDescriptors() / 4));
  return { connections, connectionsPerAddress: Math.min(wanted.connectionsPerAddress, Math.ceil(connections / 2)) };
}
