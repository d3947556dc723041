import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface ControlGroup extends Disposable {
  /** A command of a shell that puts it, and what it becomes, into the group. */
  readonly enter: string;
}

/** Where each version of control groups has memory, and the file of its limit. */
const versions = [
  { root: '/sys/fs/cgroup', limit: 'memory.max' },
  { root: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes' },
] as const;

/** A group that may use so much memory; undefined where none may be made. The caller removes it once its processes have ended. */
export function memoryGroup(name: string, bytes: number): ControlGroup | undefined {
  for (const { root, limit } of versions) {
    const folder = join(root, name);
    try {
      mkdirSync(folder);
    } catch {
      continue;
    }
    // The folder of a version that has no memory here has no such file.
    if (existsSync(join(folder, limit))) {
      writeFileSync(join(folder, limit), String(bytes));
      return { enter: `echo $$ > ${join(folder, 'cgroup.procs')}`, [Symbol.dispose]: () => rmdirSync(folder) };
    }
    if (existsSync(join(folder, 'cgroup.procs'))) rmdirSync(folder);
  }
  return undefined;
}
