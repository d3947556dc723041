/** The limits of answers and of what is indexed. Settings are in `index.ts`; sizes of batches and caches stand where they are used. */

/** Paths shown of a commit, characters of a title, and names in one note. */
export const answerLimits = { paths: 100, title: 1000, named: 5 };

/** Of one shown hunk: lines before its first match, all lines, characters, characters of a line, and match ranges. */
export const shownHunk = { linesBefore: 40, lines: 120, characters: 8000, line: 1000, ranges: 100 };
/** The same for programs. */
export const wholeHunk = { linesBefore: Infinity, lines: Infinity, characters: 1 << 20, line: 1000, ranges: 100_000 };
/** Characters of all hunks of a search that are given whole. */
export const wholeCharacters = 32 << 20;

/**
 * Where git compares commits.
 * - `seconds`: longest time of one command. Git compares a commit as a whole before it prints it, and holds more with each second.
 * - `silentSeconds`: longest time without output. Git prints a file once it has compared it.
 * - `aloneSeconds`: longest time in which the files of one commit are tried one by one. Those that are left count as hard.
 * - `quickBytes`: files up to here are compared in time, whatever is in them.
 * - `pathCharacters`: of the paths of a commit whose files are tried one by one: they are arguments of a command.
 * - `failures`: commits that cannot be read or compared. Then the rest is not tried.
 */
export const comparing = {
  seconds: 15,
  silentSeconds: 3,
  aloneSeconds: 8,
  quickBytes: 512 * 1024,
  pathCharacters: 100_000,
  failures: 20,
};

/** Bytes of paths and hunks of one commit in the index. Git answers for a larger one. */
export const indexedCommitBytes = 24 << 20;
/** Seconds of one turn of a repository while others wait, and of all its turns, after which the server becomes ready without it. */
export const indexingTime = { turnSeconds: 60, mostSeconds: 900 };
