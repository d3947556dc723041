/** A file or folder that a task names, with the line where it says one. */
export interface PathMention {
  readonly path: string;
  readonly line?: number;
}

/** Endings by which a single word is taken for the name of a file. */
const endings =
  'c|cc|cpp|cxx|h|hh|hpp|hxx|cs|css|scss|dart|ex|exs|go|graphql|groovy|gradle|hs|html|java|jl|js|jsx|json|kt|kts|lua|m|md|mjs|cjs|ml|mm|mts|cts|php|pl|pm|proto|ps1|py|pyi|pyx|r|rb|rs|rst|scala|sh|sql|svelte|swift|tf|toml|ts|tsx|txt|vue|xml|ya?ml|zig';
const fileName = new RegExp(String.raw`(?<![\w/\\.@+-])[\w@.+-]*\w\.(?:${endings})(?![\w/])(?!\.\w)`, 'g');
const slashed = /(?<![\w/.@+-])(?:\/|\.{1,2}\/|[A-Za-z]:\\)?(?:[\w@.+-]+[\\/])+[\w@.+-]*\w/g;
const lineAfter = /^(?:["')]?,? line |:|#L|\()(\d{1,7})/;

const most = 24;

/** Files and folders named in a text, the frames of stack traces among them, in the order of the text. */
export function pathMentions(task: string): PathMention[] {
  // What follows the protocol of an address ends in a path.
  const text = task.replaceAll('://', '   ');
  const found = new Map<string, PathMention & { at: number }>();
  for (const pattern of [slashed, fileName])
    for (const match of text.matchAll(pattern)) {
      const path = match[0].replaceAll('\\', '/').replace(/^(?:[A-Za-z]:)?[./]*\//, '');
      const [, line] =
        lineAfter.exec(text.slice(match.index + match[0].length, match.index + match[0].length + 16)) ?? [];
      const known = found.get(path);
      if (known?.line !== undefined || (known && line === undefined)) continue;
      found.set(path, { at: known?.at ?? match.index, path, ...(line !== undefined && { line: Number(line) }) });
    }
  const inOrder = [...found.values()].sort((a, b) => a.at - b.at).slice(0, most);
  return inOrder.map(({ path, line }) => ({ path, ...(line !== undefined && { line }) }));
}

const codeSpan = /`{1,3}([^`\n]{1,200})`{1,3}/g;
const quotation = /"([^"\n]{6,120})"|(?<!\w)'([^'\n]{6,120})'(?!\w)|[“„]([^”“\n]{6,120})[”“]/g;
const errorText = /\b(?:error|exception|panic|fatal|warning|failed|cannot|unable to)\b\s*:?\s+([^\n]{10,120})/gi;
const compound =
  /(?<![\w$])(?:[$_]*[a-z\d]+[A-Z][\w$]*|[A-Z][a-z\d]+[A-Z]\w*|[A-Z]{2,}[a-z][\w$]*|[$_]*[A-Za-z\d]+_[A-Za-z\d]\w*)(?![\w$])/g;
const called = /(?<![\w$.])([A-Za-z_$][\w$]{2,})\(/g;
const member = /(?<![\w$/])[A-Za-z_$][\w$]*(?:(?:\.|::|->|#)[A-Za-z_$][\w$]*)+/g;

const mostIdentifiers = 16;
const mostPhrases = 6;

/** Names as they stand in code: in code spans, joined or written like names, or called. */
export function identifiersIn(text: string): string[] {
  const found = new Set<string>();
  const add = (name: string): void => void (name.length > 2 && name.length <= 100 && found.add(name));
  for (const [, span = ''] of text.matchAll(codeSpan))
    for (const name of span.match(/[A-Za-z_$][\w$]*/g)?.slice(0, 8) ?? []) if (!isCommonKeyword(name)) add(name);
  for (const [name] of text.matchAll(compound)) add(name);
  for (const [, name = ''] of text.matchAll(called)) add(name);
  for (const [chain] of text.matchAll(member))
    for (const name of chain.split(/\.|::|->|#/)) if (isNameLike(name)) add(name);
  return [...found].slice(0, mostIdentifiers);
}

const isNameLike = (name: string): boolean => /[a-z\d][A-Z]|_|^[A-Z][a-z]/.test(name) && !/^(?:e|i)$/.test(name);
const isCommonKeyword = (name: string): boolean =>
  /^(?:if|else|for|while|return|const|let|var|function|func|def|class|new|this|self|null|nil|none|true|false|void|int|string|bool|import|from|export|async|await|the|and|not|in|is|of|to|a)$/i.test(
    name,
  );

/** Texts that should stand in the code as they are: quoted ones and messages of errors. */
export function phrasesIn(text: string): string[] {
  const quoted = [...text.matchAll(quotation)].map(([, a, b, c]) => a ?? b ?? c ?? '');
  const messages = [...text.matchAll(errorText)].map(([, message = '']) => message.split(/[:"'`({%]/)[0] ?? '');
  const phrases = [...quoted, ...messages].map((phrase) => phrase.trim().replace(/[.,;!]+$/, ''));
  return [...new Set(phrases)].filter((phrase) => /\p{L}{2,}\P{L}+\p{L}{2,}/u.test(phrase)).slice(0, mostPhrases);
}
