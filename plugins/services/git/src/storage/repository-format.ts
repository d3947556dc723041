import { messageOf } from '@sextant/core';
import type { GitProgram } from '../process/git-process.ts';
import { latelyUsed } from '../objects/lately-used.ts';
import { StorageProblem } from './storage.ts';

const maxRemembered = 2000;

/** Settings without which git would read the objects wrongly. */
const isFormat = /^(?:core\.repositoryformatversion|extensions\.(?!worktreeconfig\n)[a-z0-9-]+)\n/;

/** Takes from the configuration of a repository, which whoever made it wrote, how its data is stored, and nothing else. */
export class RepositoryFormats {
  readonly #git: GitProgram;
  readonly #known = latelyUsed<string>(maxRemembered);

  constructor(git: GitProgram) {
    this.#git = git;
  }

  /** Our configuration for reading it. Throws a StorageProblem where git cannot read its own. */
  async of(config: Buffer, gitFolder: string): Promise<string> {
    const text = config.toString('latin1');
    if (isUsual(text)) return ours([]);
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const format = ours(await this.#read(config, gitFolder));
    this.#known.set(text, format);
    return format;
  }

  async #read(config: Buffer, gitFolder: string): Promise<string[]> {
    const args = ['config', '--file', '-', '--no-includes', '--null', '--list'];
    try {
      const output = await this.#git.run({ gitFolder, args, input: [config], signal: new AbortController().signal });
      return output
        .toString('latin1')
        .split('\0')
        .filter((setting) => isFormat.test(setting));
    } catch (error) {
      const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
      throw new StorageProblem(`its configuration cannot be read (${messageOf(cause)})`);
    }
  }
}

/** Whether it says nothing of how data is stored: a process of git less for nearly every repository. */
const isUsual = (text: string): boolean => !/extensions|repositoryformatversion\s*=\s*(?!0\s*$)/im.test(text);

/** Bare, so that no folder is taken for its work tree, whose attributes would count. */
function ours(settings: readonly string[]): string {
  const lines = settings.map((setting) => {
    const [key = '', ...values] = setting.split('\n');
    const [section, name] = key.split('.');
    return `[${section}]\n\t${name} = ${quoted(values.join('\n'))}\n`;
  });
  return `[core]\n\tbare = true\n${lines.join('')}`;
}

const quoted = (value: string): string =>
  `"${value.replace(/[\\"]/g, String.raw`\$&`).replaceAll('\n', String.raw`\n`)}"`;
