/** What stands for a link that a model wrote and that leads elsewhere. */
export const removedLink = '(link removed)';

const address = /\b[a-z][a-z0-9+.-]{1,31}:\/\/[^\s<>()[\]"'`]*/gi;
/** What follows `](` or `]:`: where a markdown link or image leads. */
const destination = /(\]\(\s*<?|^[ \t]{0,3}\[[^\]\n]{1,200}\]:\s*<?)([^\s<>)]+)/gm;

/**
 * Takes out every address that does not belong to this server: a link or image in an answer must not carry what the
 * model read to somebody else.
 */
export function keepOwnLinks(markdown: string, externalURL: string): string {
  const isOwn = (url: string): boolean => url === externalURL || url.startsWith(`${externalURL}/`);
  const isLocal = (url: string): boolean => isOwn(url) || /^(#|\/(?![/\\]))/.test(url);
  return markdown
    .replace(destination, (whole, before: string, url: string) => (isLocal(url) ? whole : `${before}#`))
    .replace(address, (url) => (isOwn(url) ? url : removedLink));
}
