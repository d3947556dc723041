/** What was promised and what was seen, printed as one table. */
export class Promises {
  readonly #rows: string[] = [];
  #kept = 0;
  #broken = 0;

  check(promise: string, { isKept, seen }: { isKept: boolean; seen: string }): void {
    if (isKept) this.#kept += 1;
    else this.#broken += 1;
    this.#rows.push(`| ${promise} | ${seen} | ${isKept ? 'kept' : 'BROKEN'} |`);
  }

  notRun(promise: string, why: string): void {
    this.#rows.push(`| ${promise} | ${why} | NOT RUN |`);
  }

  /** The code of the process: 1 where a promise was broken, and where none was looked at. */
  print(): number {
    process.stdout.write(`| promise | seen | |\n| --- | --- | --- |\n${this.#rows.join('\n')}\n`);
    return this.#kept > 0 && this.#broken === 0 ? 0 : 1;
  }
}
