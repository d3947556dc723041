/** What was promised and what was seen, printed as one table. */
export class Promises {
  readonly #rows: string[] = [];
  #broken = 0;

  check(promise: string, { isKept, seen }: { isKept: boolean; seen: string }): void {
    if (!isKept) this.#broken += 1;
    this.#rows.push(`| ${promise} | ${seen} | ${isKept ? 'kept' : 'BROKEN'} |`);
  }

  /** The code of the process. */
  print(): number {
    process.stdout.write(`| promise | seen | |\n| --- | --- | --- |\n${this.#rows.join('\n')}\n`);
    return this.#broken === 0 ? 0 : 1;
  }
}
