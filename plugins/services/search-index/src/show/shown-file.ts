import { chunksOf } from '@sextant/library-search-results';
import type { Chunk, RatedLine } from '@sextant/library-search-results';
import { DocumentLines } from './document-lines.ts';
import type { DocumentLine, TextReader } from './document-lines.ts';
import type { RankedFile } from './found-files.ts';
import { linesOf, noRows, tellingLines, withFirst } from '../rank/hit.ts';
import type { HitLine, Rows } from '../rank/hit.ts';
import { NearText } from '../rank/near-text.ts';
import type { FoundChunk, FoundLines, FoundMatch, JobLimits } from '../pool/protocol.ts';
import { rateLines } from '../rank/rated-lines.ts';

/** A file with how good its lines are, by their numbers. */
interface RatedFile extends Omit<RankedFile, 'texts' | 'defined' | 'query' | 'isCut' | 'isCounted' | 'shown'> {
  readonly weights: ReadonlyMap<number, number>;
}

interface Rating {
  readonly rows: Rows;
  readonly rate: (lines: readonly HitLine[], reader: TextReader) => readonly RatedLine[];
}

/** What is shown of a file that was ranked without its lines. */
export function showRanked(ranked: RankedFile, limits: JobLimits): FoundLines {
  const { texts, defined, matches } = ranked;
  const { lineCharacters } = limits;
  const rows = texts.terms.length === 1 || !matches ? noRows : tellingLines(matches, texts);
  const rating = { lineCharacters, texts, rows, defined };
  return show(ranked, limits, { rows, rate: (lines, reader) => rateLines(lines, reader, rating) });
}

/** What is shown of a file. */
export const showFile = ({ weights, ...file }: RatedFile, limits: JobLimits): FoundLines =>
  show(file, limits, {
    rows: noRows,
    rate: (lines) => lines.map(({ line }) => ({ line, weight: weights.get(line) ?? 0 })),
  });

type ShownLines = Pick<FoundLines, 'chunks' | 'matches'>;

const noneShown: ShownLines = { chunks: [], matches: [] };

function show(file: Omit<RatedFile, 'weights'>, limits: JobLimits, { rows, rate }: Rating): FoundLines {
  const { matches, source } = file;
  if (!source || !matches || matches.length === 0) return withLines(file, noneShown);
  const shown = source.slice.within(({ content, shard }) => {
    const { start, end } = shard.documentRange(source.document);
    const reader = new NearText(content, { start, end });
    const lines = [...linesOf(matches, Infinity, rows)];
    const document = new DocumentLines(
      rows.size > 0 ? lines.map(withFirst) : lines,
      { start, end, reader },
      limits.lineCharacters,
    );
    return linesToShow(document, rate(lines, reader), limits);
  });
  return withLines(file, shown);
}

const withLines = (
  { view, target, file, score, lineCount }: Omit<RatedFile, 'weights'>,
  { chunks, matches }: ShownLines,
): FoundLines => ({ target, file, path: view.pathOf(file), score, matchCount: lineCount, chunks, matches });

/** What a file takes of the room of an answer. */
export function charactersIn({ path, chunks }: Pick<FoundLines, 'path' | 'chunks'>): number {
  let characters = path.length;
  for (const { startLine, endLine, text } of chunks) {
    const lines = endLine - startLine + 1;
    // Without the line ends between them.
    characters += text.length - (lines - 1) + lines * 8;
  }
  return characters;
}

function linesToShow(document: DocumentLines, rated: readonly RatedLine[], limits: JobLimits): ShownLines {
  const chunks = chunksOf(rated, document, limits);
  const texts = chunks.map(
    (chunk): FoundChunk => ({ startLine: chunk.startLine, endLine: chunk.endLine, text: document.textOf(chunk.lines) }),
  );
  return { chunks: texts, matches: matchesIn(chunks) };
}

/** The lines with matches that chunks show. */
function matchesIn(chunks: readonly Chunk<DocumentLine>[]): FoundMatch[] {
  const matches: FoundMatch[] = [];
  for (let chunk = 0; chunk < chunks.length; chunk += 1) {
    const { startLine = 0, lines = [] } = chunks[chunk] ?? {};
    for (let at = 0; at < lines.length; at += 1) {
      const ranges = lines[at]?.ranges;
      if (ranges) matches.push({ chunk, line: startLine + at, ranges });
    }
  }
  return chunks.length < 2 ? matches : matches.sort((a, b) => a.line - b.line);
}
