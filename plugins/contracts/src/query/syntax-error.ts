import { SextantError } from '@sextant/core';

/** A query that does not parse. The message shows the place and says what to write instead. */
export class QuerySyntaxError extends SextantError {
  /** Index into the query, in UTF-16 code units. */
  readonly position: number;

  constructor(query: string, position: number, problem: string) {
    super(
      'invalid_argument',
      `the query does not parse at character ${position + 1}: ${problem}\n${excerpt(query, position)}`,
    );
    this.position = position;
  }
}

const radius = 40;

/** The text around the place, on one line, with a mark below. */
function excerpt(query: string, position: number): string {
  const from = Math.max(0, position - radius);
  const shown = query.slice(from, position + radius).replaceAll(/[\s\p{Cc}]/gu, ' ');
  const [before, after] = [from > 0 ? '…' : '', position + radius < query.length ? '…' : ''];
  return `${before}${shown}${after}\n${' '.repeat(before.length + position - from)}^`;
}
