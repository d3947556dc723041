import { point } from '@sextant/core';

/** The files of one commit, as those who resolve imports see them. */
export interface SourceTree {
  has(path: string): boolean;
  /** Paths of the files directly in a folder; the root is the empty path. */
  inFolder(folder: string): readonly string[];
  /** Paths of all files of one name. */
  named(name: string): readonly string[];
  /** Undefined for what is not there or no text. */
  read(path: string): Promise<string | undefined>;
  /** What a function makes of the commit, made once for all calls. The function is told from others by being itself. */
  derived<T>(make: (tree: SourceTree) => Promise<T>): Promise<T>;
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
  /** Its file name, or how its path ends. */
  readonly file: string;
  /** The text in it that names the package; empty where its place does. */
  readonly text: string;
  /**
   * Whether the package is all of its repository, and not only what lies below the file. The file then lies at the root, or
   * in a folder include, inc, src or lib.
   */
  readonly isOfAll?: boolean;
}

/** How a language names what files belong to, wherever they lie: a namespace, a package, a module. */
export interface Namespaces {
  /** The source from which an import takes one name, or all names if the name is empty. */
  of(imported: { readonly module: string; readonly name: string }): string | undefined;
  /** To which a file belongs by its path. Absent: files say it by a definition of the kind `package`, under its whole name. */
  at?(path: string): string | undefined;
  /** Between its parts, where the names of one are seen in those inside of it, too. */
  readonly separator?: string;
}

/** What makes a language known to code navigation. Everything but the functions is data that goes to the threads that parse. */
export interface Language {
  /** In lower case, unique among all languages. */
  readonly name: string;
  /** Languages of one family use each other's names. */
  readonly family: string;
  /** Ends of file names, with the dot, no other language's; of several that fit a file the longest decides. */
  readonly extensions: readonly string[];
  /** Whole file names, such as `Rakefile`. */
  readonly fileNames?: readonly string[];
  /** `file:` URL of the tree-sitter grammar as WebAssembly. */
  readonly grammar: string;
  /** Tag query in tree-sitter's language; its captures are explained in docs/languages.md. */
  readonly query: string;
  /** Texts that the grammar cannot read: an expression, and a replacement of the same length for each match. */
  readonly repairs?: readonly { readonly find: string; readonly with: string }[];
  /** `folder`: files of a folder see each other's names. `everywhere`: so do all files. Absent: only by import. */
  readonly visibility?: 'folder' | 'everywhere';
  /** Members of the type around, and what it inherits, are named alone, without `this`. */
  readonly hasBareMembers?: true;
  /** Paths of the files in which the imported name may be defined, the likeliest first. */
  resolveImport?(request: ImportRequest, tree: SourceTree): Promise<readonly string[]>;
  /** Where imports name something that files say they belong to. */
  readonly namespaces?: Namespaces;
  /**
   * The module of an import that would mean the same as a name behind something: `crate::goods` before `open` is
   * `crate::goods::open`. Undefined where that is surely a value.
   */
  importOf?(qualifier: string, name: string): string | undefined;
  /** A type as TypeScript or Go would write it: `list[Foo]` is `list<Foo>`. What begins with `=` is a value, and stays. */
  typeText?(text: string): string;
  /** The names under which other repositories import from this one. */
  packageNames?(tree: SourceTree): Promise<readonly string[]>;
  /** How to find the repository of an imported module. */
  manifestsOf?(module: string): readonly PackageManifest[];
}

/** To which plugins contribute the languages that code navigation knows. */
export const Languages = point<Language>('languages');
