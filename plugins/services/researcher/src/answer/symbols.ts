import { bm25Weights, wordScore } from '@sextant/library-ranking';
import type { OutlineEntry } from '@sextant/contracts';
import { typeKinds } from '@sextant/contracts/definition-kinds';
import { scan } from '../ranking/scan.ts';
import type { Hit, Scan } from '../ranking/scan.ts';
import { Vocabulary } from '../ranking/vocabulary.ts';
import type { Steps } from '../threads/research-steps.ts';

/** A definition, as one sees it: with its documentation. Lines count from 1. */
export interface ChosenSymbol {
  /** Number of the file among those given. */
  readonly file: number;
  readonly name: string;
  readonly kind: string;
  readonly container?: string;
  readonly docs?: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly lines: readonly string[];
  /** Lines that say most of the question, the best first. */
  readonly best: readonly number[];
  /** Words of the question, as it has them: in the name, in the documentation, in the code. */
  readonly said: Readonly<Record<'name' | 'docs' | 'code', readonly string[]>>;
}

/** A file whose symbols are compared. */
export interface SymbolFileRequest {
  readonly text: string;
  readonly outline: readonly OutlineEntry[];
  /** Of the file, from 0 to 1. */
  readonly score: number;
}

const mostSymbols = 6;
const mostOfFile = 2;
const bestLines = 3;
/** Symbols that say less than this share of what the best one says are left out. */
const leastShare = 0.25;
/** A definition of fewer lines names something, and explains nothing. */
const leastLines = 3;
/** What it keeps of its score. */
const shareOfShort = 0.4;
/** Of what has members: how something is done is said by what does it. */
const shareOfType = 0.6;
/** Of tests inside of a file of source. */
const testContainer = /^(?:tests?|specs?)$/i;
/** What may stand between a definition and its documentation, or is documentation. */
const besideDocs = /^\s*(?:\/\/|\/\*|\*|#|--|;|%|@|"""|\[\[?\w)/;
const mostDocs = 60;
/** Documentation that follows the line of a definition. */
const docString = /^\s*[rbuf]*("""|''')/i;

interface Compared extends Omit<ChosenSymbol, 'lines'> {
  readonly score: number;
}

/**
 * The symbols that say most of a question, the best first: two of a file at most, one of a name, none inside another. Weights count by their
 * root: what these files are about is in most of them, and a rare word of the question is often its verb.
 */
export function chooseSymbols(
  { read, weights: given, files }: Steps['symbols']['asked'],
  isCanceled: () => boolean,
): ChosenSymbol[] {
  const vocabulary = new Vocabulary(read);
  const weights = given.map(Math.sqrt);
  const compared: Compared[] = [];
  const texts: string[][] = [];
  for (const [file, request] of files.entries()) {
    if (isCanceled()) break;
    const scanned = scan(request.text, vocabulary);
    texts.push(request.text.split(/\r?\n/));
    compared.push(...compareIn(file, request, { scanned, lines: texts.at(-1) ?? [], vocabulary, weights }));
  }
  compared.sort((a, b) => b.score - a.score || a.file - b.file || a.startLine - b.startLine);
  const least = leastShare * (compared[0]?.score ?? 0);
  const chosen: Compared[] = [];
  for (const symbol of compared) {
    if (chosen.length === mostSymbols || symbol.score < least || symbol.score === 0) break;
    const ofFile = chosen.filter(({ file }) => file === symbol.file);
    const isApart = ofFile.every(({ startLine, endLine }) => symbol.startLine > endLine || symbol.endLine < startLine);
    const isNew = chosen.every(({ name }) => name !== symbol.name);
    if (ofFile.length < mostOfFile && isApart && isNew) chosen.push(symbol);
  }
  return chosen.map(({ score: _score, ...symbol }) => ({
    ...symbol,
    lines: (texts[symbol.file] ?? []).slice(symbol.startLine - 1, symbol.endLine),
  }));
}

interface Text {
  readonly scanned: Scan;
  readonly lines: readonly string[];
  readonly vocabulary: Vocabulary;
  readonly weights: readonly number[];
}

/** A definition with the lines that are its own. */
interface Definition {
  readonly entry: OutlineEntry;
  readonly startLine: number;
  readonly endLine: number;
  /** First line that is no documentation. */
  readonly codeLine: number;
}

function compareIn(file: number, { outline, score }: SymbolFileRequest, text: Text): Compared[] {
  const definitions = definitionsOf(outline, text.lines);
  const lengths = definitions.map(({ startLine, endLine }) => endLine - startLine + 1);
  const average = Math.max(1, lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length));
  return definitions.map((definition) => compare(definition, { file, average, share: Math.sqrt(score), text }));
}

/** Each with the documentation above it. What holds others ends where the first of them begins: they speak for themselves. */
function definitionsOf(outline: readonly OutlineEntry[], lines: readonly string[]): Definition[] {
  const own = outline.filter(({ container = '', name }) => ![container, name].some((each) => testContainer.test(each)));
  const begun = own.map((entry) => ({ entry, startLine: beginOf(entry.line, lines) }));
  return begun.flatMap(({ entry, startLine }) => {
    const inner = begun.filter(({ entry: other }) => other.line > entry.line && other.endLine <= entry.endLine);
    const endLine = Math.min(
      entry.endLine,
      ...inner.map((each) => each.startLine - 1).filter((line) => line >= entry.line),
    );
    return [{ entry, startLine, endLine: trimmedEnd(lines, entry.line, endLine), codeLine: entry.line }];
  });
}

/** The first line of what documents a definition, or the line of it. */
function beginOf(line: number, lines: readonly string[]): number {
  let begin = line;
  let isBlock = false;
  while (begin > 1 && line - begin < mostDocs) {
    const above = lines[begin - 2] ?? '';
    if (/\*\/\s*$/.test(above)) isBlock = true;
    if (!isBlock && !besideDocs.test(above)) break;
    if (/^\s*\/\*/.test(above)) isBlock = false;
    begin -= 1;
  }
  return begin;
}

function trimmedEnd(lines: readonly string[], from: number, to: number): number {
  let end = to;
  while (end > from && (lines[end - 1] ?? '').trim() === '') end -= 1;
  return end;
}

interface Within {
  readonly file: number;
  /** Lines of a definition of the file. */
  readonly average: number;
  /** How much of its score a symbol of the file keeps. */
  readonly share: number;
  readonly text: Text;
}

function compare(
  { entry, startLine, endLine, codeLine }: Definition,
  { file, average, share, text }: Within,
): Compared {
  const { vocabulary, weights, scanned, lines } = text;
  const { name, kind, container, docs } = entry;
  const inName = new Set(vocabulary.wordsIn(name));
  const inContainer = new Set(container === undefined ? [] : vocabulary.wordsIn(container));
  const inDocs = new Set(vocabulary.wordsIn(docs ?? ''));
  const inside = docStringIn(lines, codeLine, endLine);
  const counts = new Map<number, number>();
  const worth = new Map<number, number>();
  for (const { line, word, definition } of hitsWithin(scanned.hits, startLine, endLine)) {
    const number = line + 1;
    if (number < codeLine || (inside && isWithin(number, inside))) inDocs.add(word);
    counts.set(word, (counts.get(word) ?? 0) + 1);
    worth.set(number, (worth.get(number) ?? 0) + (weights[word] ?? 0) * (1 + definition));
  }
  let [sum, said, all] = [0, 0, 0];
  for (const [word, weight] of weights.entries()) {
    const fields = {
      name: inName.has(word) ? 1 : 0,
      folder: inContainer.has(word) ? 1 : 0,
      body: counts.get(word) ?? 0,
      defined: inDocs.has(word) ? 1 : 0,
    };
    all += weight;
    if (fields.name + fields.folder + fields.body + fields.defined === 0) continue;
    said += weight;
    sum += weight * wordScore(fields, (endLine - startLine + 1) / average, bm25Weights.symbols);
  }
  const wordsOf = (numbers: Iterable<number>): string[] =>
    [...numbers]
      .sort((a, b) => (weights[b] ?? 0) - (weights[a] ?? 0))
      .flatMap((word) => vocabulary.words[word]?.text ?? []);
  const named = new Set([...inName, ...inContainer]);
  const documented = [...inDocs].filter((word) => !named.has(word));
  const coded = [...counts.keys()].filter((word) => !named.has(word) && !inDocs.has(word));
  return {
    file,
    name,
    kind,
    ...(container !== undefined && { container }),
    ...(docs !== undefined && { docs }),
    startLine,
    endLine,
    best: bestOf(worth),
    said: { name: wordsOf(named), docs: wordsOf(documented), code: wordsOf(coded) },
    // What says all of a question is meant before what says one word of it often.
    score: all === 0 ? 0 : share * sum * (said / all) * shareOf(kind, endLine - codeLine + 1),
  };
}

const shareOf = (kind: string, lines: number): number =>
  Math.min(lines < leastLines ? shareOfShort : 1, typeKinds.has(kind) ? shareOfType : 1);

const bestOf = (worth: ReadonlyMap<number, number>): number[] =>
  [...worth]
    .sort(([a, first], [b, second]) => second - first || a - b)
    .slice(0, bestLines)
    .map(([line]) => line);

interface Lines {
  readonly first: number;
  readonly last: number;
}

const isWithin = (line: number, { first, last }: Lines): boolean => first <= line && line <= last;

/** The text that documents a definition from inside (Python). */
function docStringIn(lines: readonly string[], from: number, to: number): Lines | undefined {
  for (let first = from + 1; first <= Math.min(to, from + mostDocs); first += 1) {
    const [, quote = ''] = docString.exec(lines[first - 1] ?? '') ?? [];
    if (quote === '') {
      if (/:\s*$/.test(lines[first - 2] ?? '')) return undefined;
      continue;
    }
    for (let last = first; last <= to; last += 1) {
      const text = lines[last - 1] ?? '';
      if ((last > first ? text : text.slice(text.indexOf(quote) + quote.length)).includes(quote))
        return { first, last };
    }
  }
  return undefined;
}

/** Hits are in the order of lines. */
const hitsWithin = (hits: readonly Hit[], startLine: number, endLine: number): readonly Hit[] =>
  hits.filter(({ line }) => line + 1 >= startLine && line + 1 <= endLine);
