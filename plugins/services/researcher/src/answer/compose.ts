import type { AnswerPart, Links, ResearchAnswer, ResearchSource } from '@sextant/contracts';
import type { FoundPlace } from '@sextant/contracts/nodes';
import { oneLine, cut } from '@sextant/core';
import { cutShort } from '../work.ts';
import type { Work } from '../work.ts';

const mostPlaces = 6;
const quotedLines = 14;
const mostCharacters = 200;
const mostTitle = 80;

/** An answer of what was found: the places, why each is there, and its lines, quoted with their numbers. */
export function answerFrom(
  question: string,
  places: readonly FoundPlace[],
  { links, work }: { links: Links; work: Pick<Work, 'isCut' | 'lastingNotes'> },
): ResearchAnswer {
  const title = titleOf(question);
  const { isCut, lastingNotes: notes } = work;
  const told = [...(isCut ? [cutShort] : []), ...notes];
  const lasting = notes.length > 0 && { notes };
  const shown = places.filter(({ lines }) => lines.length > 0).slice(0, mostPlaces);
  if (shown.length === 0) {
    const nothing = isCut
      ? 'Nothing was found in time.'
      : 'Nothing in the repositories that you may read says anything of this. Name a repository, identifiers, paths or error texts as they stand in the code.';
    const markdown = [nothing, ...told].join(' ');
    return { title, markdown, sources: [], parts: [{ markdown, sources: [] }], ...lasting };
  }
  const count = shown.length === 1 ? 'This place says' : `These ${shown.length} places say`;
  const parts: AnswerPart[] = [
    {
      markdown: [
        `${count} most of it, the likeliest first. (Found without a language model: read them before you rely on them.)`,
        ...told,
      ].join(' '),
      sources: [],
    },
    ...shown.map((place) => partOf(place, links)),
  ];
  return {
    title,
    markdown: parts.map(({ markdown }) => markdown).join('\n\n'),
    sources: parts.flatMap(({ sources }) => sources),
    parts,
    ...lasting,
  };
}

function partOf(place: FoundPlace, links: Links): AnswerPart {
  const { repo, path, commit, revision, reason, headline, within = '' } = place;
  const { startLine, endLine, shown } = headline === undefined ? aroundBest(place) : whole(place);
  const source: ResearchSource = {
    repo,
    path,
    commit,
    startLine,
    endLine,
    ...(revision !== undefined && { revision }),
  };
  const link = links.file({ repo, path, revision: commit, startLine, endLine });
  const text = shown.join('\n');
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  const title = headline === undefined ? '' : titled(headline, within);
  const heading = `**[${escaped(`${repo} ${path}`)}:${startLine}-${endLine}](${link})** ${title}(${escaped(reason)})`;
  return { markdown: `${heading}\n\n${fence}\n${text}\n${fence}`, sources: [source] };
}

function titled({ kind, docs }: { readonly kind: string; readonly docs?: string }, name: string): string {
  const said = docs === undefined ? '' : `: ${escaped(docs)}`;
  return `${escaped(kind)} \`${oneLine(name).replaceAll('`', '')}\`${said}\n`;
}

interface Quotation {
  readonly startLine: number;
  readonly endLine: number;
  readonly shown: readonly string[];
}

/** Longer definitions are shown in parts: their beginning, and what is around their best lines. */
const mostWholeLines = 40;
const headLines = 10;
const linesAround = 4;

function whole({ startLine, endLine, lines, best }: FoundPlace): Quotation {
  const isShown = (line: number): boolean =>
    lines.length <= mostWholeLines ||
    line < startLine + headLines ||
    best.some((each) => Math.abs(each - line) <= linesAround);
  const shown: string[] = [];
  for (const [index, text] of lines.entries()) {
    const line = startLine + index;
    if (isShown(line)) shown.push(numbered(text, line));
    else if (shown.at(-1) !== leftOut) shown.push(leftOut);
  }
  return { startLine, endLine, shown };
}

/** Stands for lines of a definition that are not shown. */
const leftOut = '…';

/** The lines around the best one of a place. */
function aroundBest(place: FoundPlace): Quotation {
  const { lines } = place;
  const best = place.best[0] ?? place.startLine;
  const startLine = Math.max(place.startLine, Math.min(best - 3, place.startLine + lines.length - quotedLines));
  const quoted = lines.slice(startLine - place.startLine, startLine - place.startLine + quotedLines);
  return {
    startLine,
    endLine: startLine + quoted.length - 1,
    shown: quoted.map((text, index) => numbered(text, startLine + index)),
  };
}

const numbered = (text: string, line: number): string => `${line}: ${text.slice(0, mostCharacters)}`;

/** Names of files are text, whatever they look like. */
const escaped = (text: string): string => oneLine(text).replaceAll(/[\\`*{}[\]<>()#!|~]|(?<!\w)_|_(?!\w)/g, '\\$&');

function titleOf(question: string): string {
  const line = question.trim().replaceAll(/\s+/g, ' ');
  return line.length <= mostTitle ? line : cut(line, mostTitle).replace(/\s\S*…$/, '…');
}

/** What was found, for a reader with little time: where, and why. */
export function summaryOf(places: readonly FoundPlace[], { isCut, notes, lastingNotes }: Work): string {
  const [first] = places;
  if (!first && notes.length > lastingNotes.length) return `Nothing was found${isCut ? ' in time' : ''}.`;
  if (!first)
    return 'Nothing in the repository says anything of this. Name identifiers, paths or error texts as they stand in the code.';
  const files = [...new Map(places.map((place) => [keyOf(place), place])).values()];
  const rest = files.length === 1 ? '' : ` ${files.length - 1} more follow, the likeliest first.`;
  return oneLine(`The likeliest place is ${first.path} (${first.reason}).${rest}`);
}

const keyOf = ({ repo, path }: FoundPlace): string => `${repo}\0${path}`;
