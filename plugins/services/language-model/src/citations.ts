import { SextantError, isSextantError, oneLine } from '@sextant/core';
import type { Caller } from '@sextant/core';
import { languageOfFile } from '@sextant/contracts';
import type { Links, Repositories, ResearchSource } from '@sextant/contracts';

/** Lines that a model says it read. */
export interface Claim {
  readonly repo: string;
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
}

/** How a model is told to cite. */
export const citationForm = '[[repository|path|first-last]]';

const lines = String.raw`[L#]{0,2}(\d{1,8})(?:\s*[-–]\s*L?(\d{1,8}))?`;
const file = String.raw`((?:[\w.@+-]+\/)*[\w.@+-]*\w\.[A-Za-z]\w{0,9})`;
/** The form that it is told. */
const told = new RegExp(String.raw`\[\[([^[\]|\n]{1,500})\|([^[\]|\n]{1,4096})\|${lines}\]\]`, 'g');
/** A markdown link to lines of a file, `[text](src/cart.ts:12-30)`, or to a page of this server. */
const linked = new RegExp(
  String.raw`(?<!!)\[([^[\]\n]{1,200})\]\((?:${file}(?::|#L)${lines}|(\S{1,4096})\/-\/blob\/([^\s?()]{1,4096})\?${lines})\)`,
  'g',
);
/** What many models write: `src/cart.ts:12-30`, with or without back quotes. */
const plain = new RegExp(String.raw`(?<![\w/.@+|:[-])(?<!\]\()(\`?)${file}(?::|#L)${lines}\1(?![\w:/])`, 'g');
/** Code is quoted as it is. */
const codeBlock = /(^ {0,3}```[\s\S]*?(?:^ {0,3}```|(?![\s\S])))/m;

/** Most different citations of one answer; the work of checking them is bounded. */
const mostCitations = 200;

/** Most lines that one citation may span. */
const longestRange = 500;

/** Where an answer leads, and which repositories a file without one may be of. */
export interface CitationScope {
  readonly links: Links;
  readonly externalURL: string;
  readonly repos: readonly string[];
}

export interface CheckedText {
  readonly markdown: string;
  /** In the order of their first mention. */
  readonly sources: readonly ResearchSource[];
  /** Citations that name no lines that the caller may read. */
  readonly dropped: number;
}

/** Reads the files that claims are about, as one caller. */
export class CitationCheck {
  readonly #repositories: Repositories;
  readonly #caller: Caller;
  readonly #signal: AbortSignal;

  constructor(options: { repositories: Repositories; caller: Caller; signal: AbortSignal }) {
    this.#repositories = options.repositories;
    this.#caller = options.caller;
    this.#signal = options.signal;
  }

  /** The lines as they are there, or undefined when they are not. */
  async sourceOf(claim: Claim, revision: string | undefined): Promise<ResearchSource | undefined> {
    const { repo, path, startLine } = claim;
    try {
      const repository = await this.#repositories.open(this.#caller, repo);
      const commit = await repository.resolve(revision, this.#signal);
      const { lineStarts } = await repository.readText(commit, path, this.#signal);
      if (startLine < 1 || startLine > lineStarts.length || claim.endLine < startLine) return undefined;
      const endLine = Math.min(claim.endLine, lineStarts.length, startLine + longestRange - 1);
      return { repo, path, commit, startLine, endLine, ...(revision !== undefined && { revision }) };
    } catch (error) {
      this.#signal.throwIfAborted();
      if (isSextantError(error)) return undefined;
      throw error;
    }
  }

  /** Replaces each citation by a link to the lines, and drops those that are wrong. */
  async link(text: string, scope: CitationScope): Promise<CheckedText> {
    const found = citationsIn(text, scope);
    const bySpelling = new Map<string, ResearchSource | undefined>();
    for (const { spelling, claims } of found) {
      if (bySpelling.has(spelling)) continue;
      if (bySpelling.size >= mostCitations) throw new SextantError('too_large', 'the model cited too much');
      bySpelling.set(spelling, await this.#firstThatHolds(claims));
    }
    let markdown = '';
    let end = 0;
    for (const { at, spelling, label } of found) {
      const source = bySpelling.get(spelling);
      markdown += text.slice(end, at) + (source ? linkTo(source, scope.links, label) : '');
      end = at + spelling.length;
    }
    const all = [...bySpelling.values()];
    const sources = all.filter((source) => source !== undefined);
    return { markdown: markdown + text.slice(end), sources: unique(sources), dropped: all.length - sources.length };
  }

  async #firstThatHolds(claims: readonly RevisedClaim[]): Promise<ResearchSource | undefined> {
    for (const { revision, ...claim } of claims) {
      const source = await this.sourceOf(claim, revision);
      if (source) return source;
    }
    return undefined;
  }
}

type RevisedClaim = Claim & { readonly revision: string | undefined };

/** A citation of a text, and what it may mean. */
interface Citation {
  readonly at: number;
  readonly spelling: string;
  readonly label?: string;
  readonly claims: readonly RevisedClaim[];
}

/** In the order of the text. Inside of code blocks only the form that the model is told counts. */
function citationsIn(text: string, { externalURL, repos }: CitationScope): Citation[] {
  const ofForm = [...text.matchAll(told)].map(
    ({ index: at, 0: spelling, 1: repo = '', 2: path = '', 3: first, 4: last }) => {
      const claim = { repo: repo.trim(), path: path.trim(), ...linesOf(first, last), revision: undefined };
      return { at, spelling, claims: [claim] };
    },
  );
  const named = [...new Set([...ofForm.flatMap(({ claims }) => claims.map(({ repo }) => repo)), ...repos])];
  const ofFile = (path: string, first: string | undefined, last: string | undefined): RevisedClaim[] =>
    named.flatMap((repo) =>
      [path, ...(path.startsWith(`${repo}/`) ? [path.slice(repo.length + 1)] : [])].map((each) => ({
        repo,
        path: each,
        ...linesOf(first, last),
        revision: undefined,
      })),
    );
  const citations: Citation[] = [...ofForm];
  let start = 0;
  for (const [number, part] of text.split(codeBlock).entries()) {
    // Every second part is a block.
    if (number % 2 === 0) {
      for (const {
        index,
        0: spelling,
        1: label = '',
        2: path,
        3: first,
        4: last,
        5: page,
        6: shown,
        7: from,
        8: to,
      } of part.matchAll(linked)) {
        const claims =
          path === undefined
            ? ofPage({ page, path: shown, ...linesOf(from, to) }, externalURL)
            : ofFile(path, first, last);
        if (claims.length > 0) citations.push({ at: start + index, spelling, label, claims });
      }
      // Hosts have ports, and are no files.
      for (const { index, 0: spelling, 2: path = '', 3: first, 4: last } of part.matchAll(plain))
        if (languageOfFile(path) !== undefined)
          citations.push({ at: start + index, spelling, claims: ofFile(path, first, last) });
    }
    start += part.length;
  }
  citations.sort((a, b) => a.at - b.at);
  return citations.filter(({ at }, index) => {
    const before = citations[index - 1];
    return !before || at >= before.at + before.spelling.length;
  });
}

/** The beginning of a text whose citations are not checked yet: they are no links to lines, and the one that is being written is not there. */
export const draftOf = (text: string): string =>
  text
    .replace(told, (...[, , path, first, last]: (string | undefined)[]) =>
      plainLabel(labelOf({ path: path ?? '', ...linesOf(first, last) })),
    )
    .replace(/\[?\[[^[\]\n]*$/, '');

/** Of an address of this server: `https://code.example.com/shop@3f21/-/blob/src/cart.ts?L12-30`. */
function ofPage(
  {
    page,
    path,
    ...cited
  }: Pick<Claim, 'startLine' | 'endLine'> & { page: string | undefined; path: string | undefined },
  externalURL: string,
): RevisedClaim[] {
  if (!page?.startsWith(`${externalURL}/`) || path === undefined) return [];
  const [repo = '', revision] = page.slice(externalURL.length + 1).split('@');
  return [
    {
      repo: decoded(repo),
      path: decoded(path),
      ...cited,
      revision: revision === undefined ? undefined : decoded(revision),
    },
  ];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function linesOf(first = '', last = first): Pick<Claim, 'startLine' | 'endLine'> {
  return { startLine: Number(first), endLine: Number(last) };
}

/** The characters that would end a link's text or begin another are left out of it. */
const linkTo = (source: ResearchSource, links: Links, given?: string): string => {
  const { repo, path, commit: revision, startLine, endLine } = source;
  const label = plainLabel(given ?? labelOf(source));
  return `[${label}](${links.file({ repo, path, revision, startLine, endLine })})`;
};

const plainLabel = (text: string): string => oneLine(text).replaceAll(/[[\]\\`<>]/g, '');

const labelOf = ({ path, startLine, endLine }: Omit<Claim, 'repo'>): string =>
  `${path.split('/').at(-1) ?? path}:${startLine === endLine ? startLine : `${startLine}-${endLine}`}`;

const unique = (sources: readonly ResearchSource[]): ResearchSource[] => [
  ...new Map(sources.map((source) => [JSON.stringify(source), source])).values(),
];
