export { executable, submodule, symlink } from './fast-import.ts';
export type { FileContent, FileEntry, ImportedCommit } from './fast-import.ts';
export { RepositoryBuilder } from './repository-builder.ts';
export type { BuilderOptions, TagOptions } from './repository-builder.ts';
export { repositoriesConformance } from './repositories-conformance.ts';
export type { ConformanceCase, ServeRepositories } from './repositories-conformance.ts';
export { temporaryFolder } from './temporary-folder.ts';
export type { TemporaryFolder } from './temporary-folder.ts';
