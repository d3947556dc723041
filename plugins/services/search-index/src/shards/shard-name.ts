import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { basename } from 'node:path';

/** A name for a new shard: its number, for the order, the process that makes it, and what no other has. */
export const newShardName = (number: number): string => `${number}-${process.pid}-${randomBytes(6).toString('hex')}`;

export const numberOf = (name: string): number => Number.parseInt(name, 10);

/** Whether nobody goes on with a file that is not complete: the process that began it has ended. */
export function isLeftover(path: string): boolean {
  const pid = Number(/^\d+-(\d+)-/.exec(basename(path))?.[1] ?? 0);
  if (pid === 0) return true;
  if (pid !== process.pid) return !isRunning(pid);
  // In a container every process may have had this number; another instance in this process began it after the start.
  const started = Date.now() - process.uptime() * 1000;
  return (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) < started;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It is there, and of another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
