/** What stands for a link that a model wrote and that leads elsewhere. */
export const removedLink = '(link removed)';

/** Characters of an address as HTML spells them; browsers read numbers without the semicolon, too. */
const spelled = /&(#0*\d{1,3}(?!\d)|#x0*[\da-f]{1,2}(?![\da-f])|(?:sol|colon|bsol|tab|newline)\b);?/gi;
/** What separates the parts of an address, and what browsers leave out of one. */
const written: Readonly<Record<string, string>> = {
  sol: '/',
  colon: ':',
  bsol: '\\',
  tab: '',
  newline: '',
  '#47': '/',
  '#58': ':',
  '#92': '\\',
  '#9': '',
  '#10': '',
  '#13': '',
  '#x2f': '/',
  '#x3a': ':',
  '#x5c': '\\',
  '#x9': '',
  '#xa': '',
  '#xd': '',
};

const address = /\b(?:[a-z][a-z0-9+.-]{1,31}:\/\/|https?:(?=[^\s/])|www\.(?=\w))[^\s<>()[\]"'`]*/gi;
/** An autolink or attribute without `//`. */
const opaque = /(<|=["']?)(?:data|javascript|vbscript|blob|file|mailto|ftp):[^\s<>"']*/gi;
/** What follows `](` or `]:`: where a markdown link or image leads. */
const destination = /(\]\(\s*<?|^[ \t]{0,3}\[[^\]\n]{1,200}\]:\s*<?)([^\s<>)]+)/gm;
/** The address of whatever protocol the page has: of a definition in a quote or list, of an attribute, or with a host that has a dot. */
const relative =
  /(^(?:[^\S\r\n]|[>*+\d.)-])*\[[^\]\n]{1,200}\]:\s*<?|=["']?)[/\\]{2}[^\s<>"']+|(^|[\s("'<>])[/\\]{2}[\w-]+(?:\.[\w-]+)+[^\s<>"')]*/gm;

/**
 * Takes out every address that does not belong to this server: a link or image in an answer must not carry what the
 * model read to somebody else. To be called last: what is put together later could make an address of two harmless parts.
 */
export function keepOwnLinks(markdown: string, externalURL: string): string {
  const isOwn = (url: string): boolean => url === externalURL || url.startsWith(`${externalURL}/`);
  const isLocal = (url: string): boolean => (isOwn(url) || /^(#|\/(?![/\\]))/.test(url)) && !/&#?\w+;/.test(url);
  return plainAddresses(markdown)
    .replace(destination, (whole, before: string, url: string) => (isLocal(url) ? whole : `${before}#`))
    .replace(address, (url) => (isOwn(url) ? url : removedLink))
    .replace(opaque, (_, before: string) => `${before}${removedLink}`)
    .replace(relative, (_, before?: string, space?: string) => `${before ?? space ?? ''}${removedLink}`);
}

/** With the characters that make an address written out. */
const plainAddresses = (markdown: string): string =>
  markdown.replace(spelled, (whole, name: string) => written[name.toLowerCase().replace(/^(#x?)0+/, '$1')] ?? whole);
