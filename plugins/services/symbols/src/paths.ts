export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

export const joinPath = (folder: string, path: string): string => (folder === '' ? path : `${folder}/${path}`);
