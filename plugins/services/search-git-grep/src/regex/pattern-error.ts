/** A regular expression that cannot be searched for. */
export class PatternError extends Error {
  override readonly name = 'PatternError';

  constructor(pattern: string, position: number, problem: string) {
    const shown = pattern.length > 100 ? `${pattern.slice(0, 100)}…` : pattern;
    super(`the regular expression "${shown}" cannot be used: ${problem} (at its character ${position + 1})`);
  }
}
