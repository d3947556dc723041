import type { Occurrence } from './scip-file.ts';

/** Counts usages whose first answer was wrong by how the name stands there and by what was answered. */
export class Misses {
  readonly #counts = new Map<string, number>();

  add(use: Occurrence, line: string, answer: 'another' | 'text only' | 'nothing'): void {
    const key = `${formOf(line.slice(0, use.start), line.slice(use.end))} → ${answer}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  print(): void {
    const all = [...this.#counts].toSorted(([, a], [, b]) => b - a).slice(0, 8);
    if (all.length > 0) console.log(`  missed: ${all.map(([key, count]) => `${count} ${key}`).join('; ')}`);
  }
}

function formOf(before: string, after: string): string {
  if (/\b(this|self|super\(?\)?)\??\.#?$/.test(before)) return 'behind the own object';
  if (/[)\]]\s*[?!]*(\.|->|::)$/.test(before)) return 'behind a call or element';
  if (/\.\w+[?!]*(\.|->|::)$/.test(before)) return 'behind a chain';
  if (/[\w$?!](\.|->|::)$/.test(before)) return 'behind a name';
  if (/(^|\W)\.$/.test(before)) return 'behind a line';
  if (/^\s*:/.test(after) && /[{,(]\s*$|^\s*$/.test(before)) return 'key';
  if (/[{,]\s*$/.test(before) && /^\s*[,}]/.test(after)) return 'short key or item';
  return /^\s*[(<]/.test(after) ? 'alone, called' : 'alone';
}
