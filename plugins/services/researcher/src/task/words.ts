import { stemmer } from 'stemmer';

/** Scripts that are written without spaces: two characters at a time take the place of words. */
const unspaced = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]{2,}$/u;

/** Parts of an identifier in lower case: `parseHTTPConfig_v2` has parse, http, config and v2. */
export const identifierParts = (identifier: string): string[] =>
  identifier
    .replaceAll(/(\p{Lu}+)(\p{Lu}\p{Ll})/gu, '$1 $2')
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .flatMap((part) => (unspaced.test(part) ? pairs(part) : part === '' ? [] : [part]));

function pairs(text: string): string[] {
  const characters = [...text];
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/** What the forms of an English word have in common; both sides of a comparison are cut to it. */
export const stem = (word: string): string => (word.length < 4 ? word : stemmer(word));

/** Words that tell nothing of the place. */
const stopWords = new Set(
  `a about above across after again all also am an and any are as at be because been before being below between both but by can
cannot could did do does doing don down during each either else etc even ever every few for from further get gets getting give given
gives go goes going got had has have having he her here how however i if in instead into is it its itself just like may maybe me
might more most much must my neither no nor not now of off ok on once only onto or other otherwise our out over own per please
same see seem seems she should since so some such sure than that the their them then there these they this those though through
thus to too under until up upon us use used uses using very via want wants was way we well were what when where whether which
while who whom whose why will with within without would yes yet you your`.split(/\s+/),
);

/** Words of those who ask for a change: they say what is to be done, seldom where. */
const taskWords = new Set(
  `add added adding adds allow allows avoid bug change changed changes check clean cleanup correct correctly currently code ensure
enable example feature file files find fix fixed fixes fixing function handle handles implement implemented implements improve
introduce issue locate look make makes method minor missing move new now old possible prevent problem proper properly provide
refactor remove removed removes rename replace return returns rework set show simplify small support supported supports test
tests typo unused update updated updates work works wrong`.split(/\s+/),
);

export const isStopWord = (word: string): boolean =>
  stopWords.has(word) || (word.length < 2 && /^[\p{ASCII}]$/u.test(word));
export const isTaskWord = (word: string): boolean => taskWords.has(word);

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
