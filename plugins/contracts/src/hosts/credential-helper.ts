import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { z } from 'zod';

/** Without what a shell would take for more than words: git gives the text to one. */
const words = /^(?:\/[\w./@%+-]*[\w@%+-]|[a-z][a-z0-9-]*)(?: [\w./:=@%+-]+)*$/;

/** A program that git asks for passwords (gitcredentials(7)), as the configuration names it: `store --file /run/secrets/git`. */
export const credentialHelper = z
  .string()
  .max(1000)
  .regex(
    words,
    'must be a helper of git such as "store --file /run/secrets/git", or a program by its absolute path; words of letters, digits and ./:=@%+-',
  )
  .describe(
    'A program that git asks for the login of an https host: a helper of git with its arguments, or a program by its absolute path',
  );

/** A login that git asks a program for. */
export interface AskedLogin {
  readonly helper: string;
}

/** The command of a helper, without the action that git appends. */
export const helperCommand = (helper: string): string => (helper.startsWith('/') ? helper : `git credential-${helper}`);

/** What is wrong with the program of a helper, on this machine; undefined where nothing is. */
export async function missingHelper(helper: string): Promise<string | undefined> {
  const [program = ''] = helper.split(' ');
  // These come with git.
  if (program === 'store' || program === 'cache') return undefined;
  if (program.startsWith('/'))
    return (await isRunnable(program)) ? undefined : `there is no program ${program} that the server may run`;
  const name = `git-credential-${program}`;
  for (const folder of (process.env['PATH'] ?? '').split(delimiter))
    if (folder !== '' && (await isRunnable(join(folder, name)))) return undefined;
  return `there is no program ${name} on the PATH; install it, or name it by its absolute path`;
}

const isRunnable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
