/** A text of at most `most` UTF-16 units: a longer one is cut between two characters and ends in `…`. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = most - 1;
  const isWhole = text.codePointAt(end - 1) === text.charCodeAt(end - 1);
  return `${text.slice(0, isWhole ? end : end - 1)}…`;
}
