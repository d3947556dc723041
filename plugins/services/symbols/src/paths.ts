export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** The folder of a path and those around it. The root, an empty path, comes last. */
export function* foldersAround(path: string): Generator<string> {
  let folder = path;
  do yield (folder = folderOf(folder));
  while (folder !== '');
}

export const joinPath = (folder: string, path: string): string => (folder === '' ? path : `${folder}/${path}`);

/** Whether a path is that of a test or of its data. */
export const isTestPath = (path: string): boolean =>
  /(^|[/._-])(tests?|specs?|__tests__|fixtures?|mocks?)([/._-]|$)/i.test(path);
