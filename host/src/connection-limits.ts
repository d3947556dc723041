import { z } from 'zod';
import type { HostSettings } from './settings.ts';

export type ConnectionLimits = Pick<HostSettings['limits'], 'connections' | 'connectionsPerAddress'>;

/** The bounds of connections in force: files, git and the database need descriptors too, and no address may take all. */
export function connectionLimits(wanted: ConnectionLimits): ConnectionLimits {
  const connections = Math.min(wanted.connections, halfOf(mostDescriptors()));
  return { connections, connectionsPerAddress: Math.min(wanted.connectionsPerAddress, halfOf(connections)) };
}

const halfOf = (count: number): number => Math.max(1, Math.floor(count / 2));

let known: number | undefined;

/** Files and connections that the process may have open at once; Node raises its limit as far as it may when it starts. */
function mostDescriptors(): number {
  if (known !== undefined) return known;
  // To find the names of those at the other ends takes long.
  Object.assign(process.report, { excludeNetwork: true });
  const limit = report.safeParse(process.report.getReport()).data?.userLimits.open_files.soft;
  return (known = typeof limit === 'number' ? limit : Infinity);
}

/** The part of Node's report on the process that has the limits; systems without them have no such part. */
const report = z.object({
  userLimits: z.object({ open_files: z.object({ soft: z.union([z.number(), z.literal('unlimited')]) }) }),
});
