import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { RepositoryBuilder } from './repository-builder.ts';

/** Repositories side by side, all with the same history of `a.ts`, of which all but one cannot be read. */
export interface DamagedRepositories {
  /** By name: where each is. */
  readonly repositories: Readonly<Record<string, string>>;
  /** Only administrators may read it. */
  readonly hidden: readonly string[];
  readonly healthy: string;
  /** Those that an answer for everyone names. */
  readonly damaged: readonly string[];
  /** Removes one of the damaged: call it once all are served. */
  vanish(): void;
}

/** Of one the commit of HEAD is missing, of one its tree and of one its blob; one is removed, and one that is damaged is hidden. */
export function damagedRepositories(folder: string): DamagedRepositories {
  const built = (name: string): RepositoryBuilder => {
    const builder = new RepositoryBuilder({ folder: join(folder, `${name}.git`), isBare: true });
    builder.commit({ files: { 'a.ts': `export const needle = '${name}';\n` }, message: 'add the needle' });
    builder.commit({ files: { 'a.ts': `export const needle = 'new ${name}';\n` }, message: 'change the needle' });
    return builder;
  };
  const without = (name: string, revision: string): RepositoryBuilder => {
    const builder = built(name);
    const object = builder.git('rev-parse', revision);
    rmSync(join(builder.folder, 'objects', object.slice(0, 2), object.slice(2)));
    return builder;
  };
  const gone = built('gone');
  const builders = {
    blobless: without('blobless', 'main:a.ts'),
    commitless: without('commitless', 'main'),
    gone,
    healthy: built('healthy'),
    treeless: without('treeless', 'main^{tree}'),
    vault: without('vault', 'main'),
  };
  return {
    repositories: Object.fromEntries(Object.entries(builders).map(([name, builder]) => [name, builder.folder])),
    hidden: ['vault'],
    healthy: 'healthy',
    damaged: ['blobless', 'commitless', 'gone', 'treeless'],
    vanish: () => rmSync(gone.folder, { recursive: true }),
  };
}
