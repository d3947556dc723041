import { SextantError } from '@sextant/core';
import { absoluteDate } from './absolute-date.ts';
import { relativeDate } from './relative-date.ts';

/** Seconds since 1970, inclusive at both ends. */
export interface Window {
  readonly after?: number;
  readonly before?: number;
}

/** The window of two dates. Throws `invalid_argument` for what is no date, and when no time lies between them. */
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
  const words = text.trim().toLowerCase();
  const seconds = words.length > 100 ? undefined : (absoluteDate(words) ?? relativeDate(words, now));
  if (seconds !== undefined) return seconds;
  throw new SextantError(
    'invalid_argument',
    `Argument "${argument}": "${text.slice(0, 60)}" is no date; write 2026-01-31, 2026-01-31T12:00:00Z, 2 weeks ago, yesterday or november 1 2019 (UTC).`,
  );
}
