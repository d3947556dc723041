/** What a task says of repositories. */
export interface NamedRepositories {
  /** Names of repositories that the caller may read, in the order of the text. */
  readonly known: readonly string[];
  /** What is called a repository and is none that the caller may read. */
  readonly unknown: readonly string[];
  /** The task without those names. */
  readonly rest: string;
}

interface Mention {
  readonly at: number;
  readonly text: string;
  /** Whether the text says that this is a repository; a bare word may mean something else. */
  readonly isCalledSo: boolean;
}

const mostCharacters = 20_000;
const address =
  /\b(?:https?|ssh|git):\/\/(?:[^\s@/]+@)?([\w.-]+(?::\d+)?(?:\/[^\s<>()"'`,;]*)?)|\bgit@([\w.-]+):([\w./-]+)/g;
const calledAfter =
  /\b(?:repo(?:sitory)?s?|project|codebase)(?::|\s+(?:named|called|is|of|for))?\s+["'`]?([\w.-]+(?:\/[\w.-]+)*\w)["'`]?/gi;
const calledBefore = /(?<![\w./-])["'`]?([\w.-]+(?:\/[\w.-]+)*\w)["'`]?\s+(?:repo(?:sitory)?|codebase)\b/gi;
const token = /(?<![\w./@-])[A-Za-z\d_][\w.-]*(?:\/[\w.-]+)*/g;

/** Words that stand beside "repository" and name none. */
const noNames =
  /^(?:the|this|that|these|those|a|an|our|my|your|its|whole|entire|same|every|each|any|all|which|what|and|or|in|of|to|with|for|from|is|are|has|where|how|git|code|source|main|mono|remote|local|other|another|first|new|structure|overview|named|called|settings?|contains?|uses?|does|do|it|on|by|at|as)$/i;

/**
 * Finds the repositories that a task names: by full name, by address, by the end of a name that only one has. What is
 * called a repository counts before bare words, so that a repository called "docs" is not meant by every mention of docs.
 */
export function namedRepositories(task: string, names: readonly string[]): NamedRepositories {
  const text = task.slice(0, mostCharacters);
  const mentions = [...addressesIn(text), ...calledIn(text), ...tokensIn(text, names), ...oddNamesIn(text, names)];
  const found = mentions.map((mention) => ({ ...mention, names: namesOf(mention.text, names) }));
  const sure = found.filter(({ isCalledSo, names, text }) => names.length === 1 && (isCalledSo || text.includes('/')));
  const bare = found.filter(({ names }) => names.length === 1);
  const used = (sure.length > 0 ? sure : bare).toSorted((a, b) => a.at - b.at);
  const unknown = found.filter(({ isCalledSo, names }) => isCalledSo && names.length !== 1).map(({ text }) => text);
  return {
    known: [...new Set(used.flatMap(({ names }) => names))],
    unknown: [...new Set(unknown)],
    rest: without(task, used),
  };
}

function* addressesIn(text: string): Generator<Mention> {
  for (const { index: at, 1: web, 2: host, 3: path } of text.matchAll(address)) {
    const whole = (web ?? `${host}/${path}`).replace(/[.,;:!?]+$/, '');
    // Behind "/-/" or "/blob/" a file of the repository follows; hosts name issues and the like below it, too.
    const repository =
      whole.split(
        /\/-\/|\/(?:blob|tree|raw|commit|commits|issues?|pulls?|merge_requests|wiki|releases|actions)(?:\/|$)|[?#@]/,
      )[0] ?? '';
    const isCode = /\.git$|\/.+\//.test(whole) || repository !== whole;
    const name = repository.replace(/\.git$/, '').replace(/\/$/, '');
    if (name.includes('/')) yield { at, text: name, isCalledSo: isCode && name.split('/').length <= 4 };
  }
}

function* calledIn(text: string): Generator<Mention> {
  for (const pattern of [calledAfter, calledBefore])
    for (const { index: at, 1: name = '' } of text.matchAll(pattern))
      if (!noNames.test(name)) yield { at, text: name, isCalledSo: isNameLike(name) };
}

/** Ordinary words follow "repository" in ordinary sentences; what has a slash, a dash or a digit is a name. */
const isNameLike = (name: string): boolean => /[/\d_-]|\.\w/.test(name);

function* tokensIn(text: string, names: readonly string[]): Generator<Mention> {
  const ends = new Set(names.flatMap((name) => lowerEnds(name)));
  for (const { index: at, 0: found } of text.matchAll(token)) {
    const name = found.replace(/[.-]+$/, '');
    const isOpening = /^\s*(?::|\s-\s)/.test(text.slice(at + name.length)) && text.slice(0, at).trim().length < 12;
    if (ends.has(name.toLowerCase()))
      yield {
        at,
        text: name,
        isCalledSo: isOpening || /\b(?:in|of|from|for)\s+["'`]?$/i.test(text.slice(Math.max(0, at - 8), at)),
      };
  }
}

/** Names with spaces, plus signs and the like are no tokens. */
function* oddNamesIn(text: string, names: readonly string[]): Generator<Mention> {
  const lower = text.toLowerCase();
  for (const name of names.filter((each) => /[^\w./-]/.test(each)))
    for (const end of lowerEnds(name).filter((each) => /[^\w./-]/.test(each))) {
      const at = lower.indexOf(end);
      if (at < 0 || /[\p{L}\p{N}_/]/u.test(`${lower[at - 1] ?? ' '}${lower[at + end.length] ?? ' '}`)) continue;
      yield { at, text: text.slice(at, at + end.length), isCalledSo: true };
      break;
    }
}

const lowerEnds = (name: string): string[] => {
  const segments = name.toLowerCase().split('/');
  return segments.map((_, index) => segments.slice(index).join('/'));
};

/** The repositories that a mention may mean: that of this name, else those whose name ends so, or that the mention ends in. */
function namesOf(mention: string, names: readonly string[]): string[] {
  const wanted = mention.toLowerCase();
  const exact = names.filter((name) => name.toLowerCase() === wanted);
  if (exact.length > 0) return exact.length === 1 ? exact : exact.filter((name) => name === mention);
  const ending = names.filter((name) => name.toLowerCase().endsWith(`/${wanted}`));
  if (ending.length > 0) return ending;
  const segments = wanted.split('/');
  if (segments.length < 2) return [];
  return names.filter((name) =>
    name.includes('/') ? wanted.endsWith(`/${name.toLowerCase()}`) : segments.at(-1) === name.toLowerCase(),
  );
}

function without(task: string, mentions: readonly Mention[]): string {
  let rest = task;
  for (const { at, text } of mentions.toSorted((a, b) => b.at - a.at)) {
    const from = rest.indexOf(text, at);
    if (from < 0 || from > at + 200) continue;
    const before = rest
      .slice(0, from)
      .replace(/(?:\b(?:in|of|from|for)\s+)?(?:\bthe\s+)?(?:\b(?:repo|repository)\s+)?["'`]?$/i, '');
    rest = `${before} ${rest.slice(from + text.length).replace(/^["'`]?(?:\s*[:,]|\s+(?:repo|repository)\b)?/i, '')}`;
  }
  return rest.trim();
}
