/** Lines that people and tools put below a message. */
const trailer =
  /^\s*(?:[A-Z][\w-]*-by|cc|change-id|bug|buglink|closes?|fixes|fixed|resolves?|refs?|references?|see(?: also)?|related(?: to)?|issues?|prs?|pull request|url|link|git-svn-id|release-notes?|changelog|differential revision|reviewers?|test plan|x-[\w-]+)\s*:?\s*(?:#|\w+#\d|https?:|gh-|[\w.+-]+@|[0-9a-f]{7,40}\b|[^<\n]{0,100}<[^>\s]{1,100}@).*$/gim;
const signature =
  /^\s*(?:signed-off|co-authored|reviewed|acked|tested|reported|suggested|approved|helped|mentored|authored)-by\s*:.*$/gim;
const cherryPick = /^\s*\(cherry[ -]picked from .*\)\s*$/gim;
const markup = /<!--[\s\S]{0,2000}?-->|<\/?[a-z][^>\n]{0,200}>/gi;
const address = /\bhttps?:\/\/[^\s<>()\]]+/gi;
const mail = /<?[\w.+-]+@[\w-]+(?:\.[\w-]+)+>?/g;
const number = /\(?(?:\b[\w.-]+\/[\w.-]+)?#\d+\)?|\bGH-\d+/g;
const hash = /\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b/g;

/** The text without what names no place in code: trailers, addresses, numbers of issues, hashes. */
export const withoutNoise = (text: string): string =>
  [trailer, signature, cherryPick, markup, address, mail, number, hash].reduce(
    (cleaned, pattern) => cleaned.replaceAll(pattern, ' '),
    text,
  );
