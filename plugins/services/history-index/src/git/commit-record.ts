import { secondsOf } from '@sextant/contracts';
import { textOf } from './text.ts';

/** A commit as one record of git's output. */
export interface CommitRecord {
  readonly hash: string;
  readonly author: Identity;
  /** As the mailmap maps it. */
  readonly mapped: Identity;
  /** Committer date in seconds since 1970. */
  readonly time: number;
  /** Full hashes. */
  readonly parents: readonly string[];
  readonly message: string;
}

export interface Identity {
  readonly name: string;
  readonly email: string;
}

const fields = ['%H', '%an', '%ae', '%aN', '%aE', '%ct', '%P', '%B'];

/** Ends of fields: git prints no NUL inside one. A commit begins with a NUL, so that what follows its fields can be told from them. */
export const commitFormat = `--format=tformat:%x00${fields.map((field) => `${field}%x00`).join('')}`;
export const fieldCount = fields.length;

/** The mailmap of HEAD, and no file that the repository's configuration names. */
export const mailmapSettings = ['-c', 'mailmap.blob=HEAD:.mailmap', '-c', 'mailmap.file=/dev/null'];

/** Characters of a name or an address. */
const longestName = 1000;
/** Of ten thousand parents and more the last may have been cut with its line. */
const fullHash = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

export function commitOf(values: readonly Buffer[]): CommitRecord {
  const [hash = '', name = '', email = '', mappedName = '', mappedEmail = '', time = '', parents = '', message = ''] =
    values.map(textOf);
  return {
    hash,
    author: identity(name, email),
    mapped: identity(mappedName, mappedEmail),
    time: secondsOf(time),
    parents: parents.split(' ').filter((parent) => fullHash.test(parent)),
    message: message.replace(/\n+$/, ''),
  };
}

const identity = (name: string, email: string): Identity => ({
  name: name.slice(0, longestName),
  email: email.slice(0, longestName),
});

export const identityText = ({ name, email }: Identity): string => `${name} <${email}>`;
