import type { Language } from '@sextant/contracts';
import { didYouMean } from '@sextant/core';

/** The languages that are known, by the names of files. */
export class LanguageTable {
  readonly languages: readonly Language[];
  readonly #byName = new Map<string, Language>();
  /** By file names and by their ends. */
  readonly #byFile = new Map<string, Language>();

  /** Throws when two languages have one name or claim the same files, and for a name in `disabled` that is none. */
  constructor(languages: readonly Language[], disabled: readonly string[] = []) {
    this.languages = languages.filter(({ name }) => !disabled.includes(name));
    for (const language of this.languages) this.#add(language);
    const names = languages.map(({ name }) => name);
    const unknown = disabled.find((name) => !names.includes(name));
    if (unknown !== undefined)
      throw new Error(
        `disabledLanguages: there is no language "${unknown}".${didYouMean(unknown, names)} There are ${names.join(', ')}.`,
      );
  }

  /** The language of a file: by its whole name, else by the longest end of it that is known. */
  of(path: string): Language | undefined {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const whole = this.#byFile.get(`/${name}`);
    if (whole) return whole;
    for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
      const language = this.#byFile.get(name.slice(dot));
      if (language) return language;
    }
    return undefined;
  }

  /** Ends of the paths of all files of languages that use each other's names. */
  endsOf({ family }: Language): string[] {
    return this.languages
      .filter((language) => language.family === family)
      .flatMap(({ extensions, fileNames = [] }) => [...extensions, ...fileNames]);
  }

  #add(language: Language): void {
    const { name, extensions, fileNames = [] } = language;
    if (this.#byName.has(name)) throw new Error(`two languages are named "${name}"; ${howToSwitchOff}`);
    this.#byName.set(name, language);
    for (const end of [...extensions, ...fileNames.map((file) => `/${file}`)]) {
      const other = this.#byFile.get(end);
      if (other)
        throw new Error(
          `the languages "${other.name}" and "${name}" both claim "${end.replace(/^\//, '')}"; ${howToSwitchOff}`,
        );
      this.#byFile.set(end, language);
    }
  }
}

const howToSwitchOff = 'name one of them in `disabledLanguages`, or switch off the plugin that brings it';
