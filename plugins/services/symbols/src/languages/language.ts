/** The files of one commit, as the resolver of imports may see them. */
export interface Project {
  has(path: string): boolean;
  /** Paths of the files directly in a folder; the root is the empty path. */
  inFolder(folder: string): readonly string[];
  /** Paths of all files of one name. */
  named(name: string): readonly string[];
  /** Undefined for what is not there or no text. */
  read(path: string): Promise<string | undefined>;
}

/** An import as it stands in a file. */
export interface ImportRequest {
  /** Of the file that imports. */
  readonly path: string;
  readonly module: string;
  /** The imported name, where it may be a module itself. */
  readonly name: string;
}

/** A file of another repository that says that its package has this name. */
export interface PackageManifest {
  /** Its file name. */
  readonly file: string;
  /** The text in it that names the package. */
  readonly text: string;
}

/** What makes a language known. Everything but the functions is data that goes to the threads that parse. */
export interface Language {
  readonly name: string;
  /** Languages of one family use each other's names. */
  readonly family: string;
  /** Ends of file names, with the dot. */
  readonly extensions: readonly string[];
  /** URL of the grammar as WebAssembly. */
  readonly grammar: string;
  /** Tag query; its captures are explained in docs/navigation.md. */
  readonly query: string;
  /** `folder`: files of a folder see each other's names. `everywhere`: so do all files. Absent: only by import. */
  readonly visibility?: 'folder' | 'everywhere';
  /** Paths of the files in which the imported name may be defined, the likeliest first. */
  resolveImport?(request: ImportRequest, project: Project): Promise<readonly string[]>;
  /** The names under which other repositories import from this project. */
  packageNames?(project: Project): Promise<readonly string[]>;
  /** How to find the repository of an imported module. */
  manifestsOf?(module: string): readonly PackageManifest[];
}

const grammars = new URL('./', import.meta.resolve('@vscode/tree-sitter-wasm/wasm/tree-sitter-go.wasm'));

/** URL of a grammar that comes with this package. */
export const grammarURL = (name: string): string => new URL(`tree-sitter-${name}.wasm`, grammars).href;

export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

export const joinPath = (folder: string, path: string): string => (folder === '' ? path : `${folder}/${path}`);
