import { isComment, keyword, mayFollowKeyword, mayGoOn, method } from './definition-signs.ts';

/** `static int name(` at the start of a line that goes on like a definition. */
const typedFunction =
  /^(?!\s*(?:return|else|throw|new|await|yield|delete|case|goto|in|not|and|or)\b)(?:[A-Za-z_][\w<>,:*&[\]\s]*\s[*&]*)?(?:[\w:~]+::)?$/;
const assigned = /^\s*(?:(?::[^=]+)?=\s*(?:async\s*)?(?:function\b|\(|[a-z_]\w*\s*=>)|(?::|<-)\s*function\b)/i;

/** What stands behind a name that begins its line because its type stands on the line before, as in much C: `(const char *text, int length)`. */
const parameters =
  /^\s*\(\s*(?!(?:not|new|await|typeof|lambda|yield)\b)(?:[A-Z_]+\(\s*)?(?:void\s*\)|(?:[A-Za-z_][\w:<>]*[\s*&]+)+[A-Za-z_]\w*\s*(?:\[\s*\w*\s*\]\s*)?(?:[,)]|$))/;

/** The signature of a function behind its name, as in Haskell: ` :: Text -> Text`. */
const signature = /^\s+::\s/;

/** Whether no more is told of a type than that it is one, as it is defined elsewhere: `struct node;`. */
const isDeclared = (line: string, start: number, end: number): boolean =>
  /\b(?:class|enum|struct|union)\s+$/.test(line.slice(0, start)) && /^\s*;/.test(line.slice(end));

/** Names begin so; what begins otherwise is never defined. */
const nameStart = /^[\p{L}\p{N}_$@~]/u;

/** Whether such a text may be a name that a line defines. */
export const canBeDefined = (text: string): boolean => nameStart.test(text);

/** How surely a line defines what stands at [start, end) of it: from 0, a use, to 1, a definition by its keyword. */
export function definitionWeight(line: string, start: number, end: number): number {
  if (!canBeDefined(line.slice(start, start + 2))) return 0;
  const codeAt = (place: number): number => line.charCodeAt(place);
  if (isComment(codeAt, 0, line.length)) return 0;
  const place = { start, end, lineStart: 0, lineEnd: line.length };
  if (mayFollowKeyword(codeAt, place) && keyword.test(line.slice(0, start)))
    return isDeclared(line, start, end) ? 0.8 : 1;
  if (!mayGoOn(codeAt, place)) return 0;
  const [before, after] = [line.slice(0, start), line.slice(end)];
  if (assigned.test(after) && /^\s*(?:export\s+)?(?:[\w.]+\.)?$/.test(before)) return 0.8;
  if (method.test(before) && /^\s*[(<]/.test(after)) return 0.8;
  if (signature.test(after) && /^\s*$/.test(before)) return 0.8;
  if (/;\s*$/.test(after)) return 0;
  if (before === '') return parameters.test(after) ? 0.7 : 0;
  return /^\s*\(/.test(after) && typedFunction.test(before) ? 0.7 : 0;
}
