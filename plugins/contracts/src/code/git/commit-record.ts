import { secondsOf } from './commit-date.ts';
import { textOf } from './written-text.ts';

/** A commit without its changes, as git tells it. */
export interface CommitRecord {
  readonly hash: string;
  readonly author: Identity;
  /** As the mailmap maps it. */
  readonly mapped: Identity;
  /** Author date in seconds since 1970. */
  readonly authored: number;
  /** Committer date in seconds since 1970. */
  readonly time: number;
  /** Full hashes. */
  readonly parents: readonly string[];
  readonly message: string;
}

/** Who wrote a commit. */
export interface Identity {
  readonly name: string;
  readonly email: string;
}

const fields = ['%H', '%an', '%ae', '%aN', '%aE', '%at', '%ct', '%P', '%B'];

/**
 * How git prints a commit for `PatchParser`. Each field ends with a NUL, since git prints none inside one. A commit begins with a NUL, so
 * that what follows its fields can be told from them.
 */
export const commitFormat = `--format=tformat:%x00${fields.map((field) => `${field}%x00`).join('')}`;
export const fieldCount = fields.length;

/** Characters of a name or an address. */
const longestName = 1000;
/** Of ten thousand parents and more the last may have been cut with its line. */
const fullHash = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Reads the fields of a commit. */
export function commitRecordOf(values: readonly Buffer[]): CommitRecord {
  const [hash = '', name = '', email = '', mappedName = '', mappedEmail = '', ...others] = values.map(textOf);
  const [authored = '', time = '', parents = '', message = ''] = others;
  return {
    hash,
    author: identity(name, email),
    mapped: identity(mappedName, mappedEmail),
    authored: secondsOf(authored),
    time: secondsOf(time),
    // Git is told that a commit is its own parent where its parents are not here.
    parents: parents.split(' ').filter((parent) => fullHash.test(parent) && parent !== hash),
    message: message.replace(/\n+$/, ''),
  };
}

const identity = (name: string, email: string): Identity => ({
  name: name.slice(0, longestName),
  email: email.slice(0, longestName),
});

/** `Name <e-mail>`. */
export const identityText = ({ name, email }: Identity): string => `${name} <${email}>`;
