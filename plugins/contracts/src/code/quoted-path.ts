const escapes: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, '\\': 92 };

/** A path as git prints it where `core.quotePath` is on: in quotes, with escapes, when any character is unusual. */
export function unquotePath(printed: string): string {
  if (!printed.startsWith('"')) return printed;
  const bytes: number[] = [];
  for (const [, octal, letter, plain] of printed.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|([^\\])/g)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else bytes.push(letter === undefined ? (plain ?? '').charCodeAt(0) : (escapes[letter] ?? 0));
  }
  return Buffer.from(bytes).toString();
}
