import { readDate } from '@sextant/contracts';
import { SextantError } from '@sextant/core';

/** Committer dates in seconds since 1970, inclusive at both ends. */
export interface Window {
  readonly after?: number;
  readonly before?: number;
}

/** Parses two dates. Throws `invalid_argument` for a text that is no date, and where `after` is later than `before`. */
export function windowOf({ after, before }: { after?: string; before?: string }, now: Date): Window {
  const window = {
    ...(after !== undefined && { after: dateOf('after', after, now) }),
    ...(before !== undefined && { before: dateOf('before', before, now) }),
  };
  if ((window.after ?? -Infinity) > (window.before ?? Infinity))
    throw new SextantError(
      'invalid_argument',
      `Argument "after": "${after}" is later than "before" ("${before}"), so that no commit lies between them.`,
    );
  return window;
}

function dateOf(argument: string, text: string, now: Date): number {
  const seconds = readDate(text, now);
  if (seconds !== undefined) return seconds;
  throw new SextantError(
    'invalid_argument',
    `Argument "${argument}": "${text.slice(0, 60)}" is no date; write 2026-01-31, 2026-01-31T12:00:00Z, 2 weeks ago, yesterday or november 1 2019 (UTC).`,
  );
}
