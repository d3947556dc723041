import { pathMentions } from './mentions.ts';
import { piecesIn, runsIn } from './message.ts';
import type { Run } from './message.ts';
import { wantedClasses } from './path-prior.ts';
import type { PathClass } from './path-class.ts';
import { wordWeights, mostWords } from './question-weights.ts';
import { isStopWord, isWeakWord } from './stop-words.ts';
import { compoundsIn, identifierParts, searchedStem } from './words.ts';

export interface QuestionWord {
  /** What words of a text begin with, in any case. */
  readonly prefix: string;
  readonly weight: number;
  /** It matters only that it is there. */
  readonly isExact: boolean;
  /** It counts in names of files and folders alone. */
  readonly isOfPath?: boolean;
}

/** What is looked for to answer a question. */
export interface Question {
  /** Each stem once. */
  readonly words: readonly QuestionWord[];
  /** Classes of files that it asks for besides source. */
  readonly wanted: ReadonlySet<PathClass>;
}

export interface Asked {
  /** Words that are said together. */
  readonly texts: readonly string[];
  /** What is quoted. */
  readonly phrases?: readonly string[];
  /** Names of the projects that are asked about, in lower case. */
  readonly projects?: ReadonlySet<string>;
  /** Longer texts, in bytes of UTF-8, cannot be looked for. */
  readonly longest: number;
}

/** Fewer words are no message. */
const leastOfMessage = 4;
/** Two words between the values of a message are enough: if many files have them, they weigh little. */
const leastOfPiece = 2;
/** So many words stand together nowhere by chance. */
const leastOfSentence = 5;
/** Files of a stack trace that are looked for. The words of its message need room, too. */
const mostPlaces = 4;

/**
 * The words of a question by which code is found.
 * - Stop words are left out, unless there is nothing else.
 * - An identifier counts as a whole and by its parts, and a path by its file and folder.
 * - Neighbouring words count as the name that they may make up, too.
 * - `phrases` count as they stand there, too. So does a text that may be a pasted message, and what stands between its values.
 * - What a question begins with (`where does`) stands nowhere.
 * - A question for a well-known kind of file, such as a changelog, counts the names of such files, too.
 */
export function questionWords({ texts, phrases = [], projects = new Set(), longest }: Asked): Question {
  const words = new Words(longest);
  const text = texts.join(' ');
  const messages = texts.filter((each) => each.split(/\s+/).length >= leastOfMessage);
  const wholes = phrases.length > 0 ? phrases : messages;
  for (const run of wholes.flatMap((phrase) => runsIn(phrase))) words.add(run, wordWeights.quoted, true);
  for (const piece of messages.flatMap((each) => piecesIn(each, leastOfPiece)))
    words.add(piece.text, weightOf(piece), true);
  for (const place of placesIn(text)) words.add(place, wordWeights.quoted, true);
  const known = wellKnownFiles(text, projects);
  for (const name of known.names) words.add(name, wordWeights.wellKnown);
  if (!words.addSingle(text) && known.names.length === 0) words.addStopWords(text);
  // Where a message has a value, its text in code has something else: pairs of words match around it.
  for (const pair of phrases.flatMap((phrase) => runsIn(phrase, 2))) words.add(pair, wordWeights.pair, true);
  if (phrases.length === 0)
    for (const name of texts.flatMap((each) => compoundsIn(identifierParts(each)))) words.addName(name);
  return { words: words.list.slice(0, mostWords), wanted: wantedClasses(`${text} ${known.wanted.join(' ')}`) };
}

/** Begins a question, and no message. */
const asks =
  /^(?:how|what|when|where|which|who|why) (?:are|can|could|did|do|does|has|have|is|must|should|was|were|will|would)\b/;

/** Two words of which one is a stop word stand anywhere (`in bevy`), and the start of a question nowhere. */
function weightOf({ text, words }: Run): number {
  if (asks.test(text)) return 0;
  const isWeak = words <= leastOfPiece && text.split(' ').some((word) => isStopWord(word));
  if (isWeak) return wordWeights.pair;
  return words < leastOfSentence
    ? Math.min(wordWeights.quoted, words * wordWeights.ofMessage)
    : words * wordWeights.ofMessage;
}

/** Files of a text, each with its folder: folders above may be those of another machine. */
const placesIn = (text: string): string[] =>
  pathMentions(text)
    .filter(({ path }) => /\/[^/]*\.\w+$/.test(path))
    .slice(0, mostPlaces)
    .map(({ path }) => path.split('/').slice(-2).join('/').toLowerCase());

/** An identifier, and the compound names in it: `canTake` of `Queue.canTake` stands alone where it is defined. */
const namesIn = (token: string): string[] => [
  token,
  ...token.split(/[.$]+/).filter((name) => identifierParts(name).length > 1),
];

const tokensOf = (text: string): string[] =>
  text.split(/[^\p{L}\p{N}_$.-]+/u).flatMap((token) => token.replace(/^[.\-$]+|[.\-$]+$/g, '') || []);

/** The singular of a type's name (`ReplicaSets`); the plural begins with it. */
const singular = (name: string): string => (/^\p{Lu}.*[^s]s$/u.test(name) ? name.slice(0, -1) : name);

class Words {
  readonly #byPrefix = new Map<string, QuestionWord>();
  readonly #longest: number;

  constructor(longest: number) {
    this.#longest = longest;
  }

  get list(): QuestionWord[] {
    return [...this.#byPrefix.values()];
  }

  /** What is too long for an index is left out. */
  add(prefix: string, weight: number, isExact = false): void {
    if (Buffer.byteLength(prefix) > this.#longest) return;
    if (weight > (this.#byPrefix.get(prefix)?.weight ?? 0)) this.#byPrefix.set(prefix, { prefix, weight, isExact });
  }

  /** A name that may be that of a file; elsewhere its words are found by themselves. */
  addName(prefix: string): void {
    if (!this.#byPrefix.has(prefix))
      this.#byPrefix.set(prefix, { prefix, weight: wordWeights.compound, isExact: false, isOfPath: true });
  }

  /** Words by themselves, and identifiers with their parts; answers whether there are any. */
  addSingle(text: string): boolean {
    const sizeBefore = this.#byPrefix.size;
    for (const token of tokensOf(text)) {
      const parts = identifierParts(token);
      const isCompound = parts.length > 1;
      if (isCompound) for (const name of namesIn(token)) this.#addName(name);
      for (const part of parts) if (!isStopWord(part)) this.add(searchedStem(part), weightOfWord(part, isCompound));
    }
    return this.#byPrefix.size > sizeBefore;
  }

  addStopWords(text: string): void {
    for (const token of tokensOf(text)) this.add(token.toLowerCase(), wordWeights.single);
  }

  #addName(name: string): void {
    this.add(singular(name).toLowerCase(), wordWeights.identifier, true);
    this.add(name.toLowerCase(), wordWeights.plural, true);
  }
}

const weightOfWord = (word: string, isOfIdentifier: boolean): number =>
  (isOfIdentifier ? wordWeights.ofIdentifier : wordWeights.single) * (isWeakWord(word) ? wordWeights.weak : 1);

const project = `(?:it|this|(?:(?:this|the|our) )?(?:project|repo(?:sitory)?|code(?:base)?|library|framework|app(?:lication)?|server|program|tool))`;
const howTo = String.raw`\bhow (?:do (?:i|we|you)|(?:can|could|should) (?:i|we|one)|to)`;

/** What people ask of a project as a whole, what the files are called that say it, and a word that asks for their class. */
const wellKnown: readonly { readonly asks: string; readonly names: string; readonly wanted: string }[] = [
  {
    asks: String.raw`\bwhat (?:is|does) ${project}(?: (?:do|about|for))?\W*$|\b(?:overview|introduction|purpose) (?:of|to) ${project}\b`,
    names: 'readme. overview introduction',
    wanted: 'readme',
  },
  {
    asks: String.raw`${howTo} (?:build|compile|install|run|start|set ?up|deploy)(?: ${project})?(?: (?:from source|locally|on \w+))?\W*$|\b(?:build|installation|install|setup) (?:instructions|guide|steps|requirements)\b`,
    names: 'readme. install building makefile contributing',
    wanted: 'readme',
  },
  {
    asks: String.raw`${howTo} (?:run|execute|start) (?:(?:all|the|this|its|unit|integration|${project}(?:'s)?) )*tests?\b`,
    names: 'readme. contributing testing makefile',
    wanted: 'readme',
  },
  {
    asks: String.raw`${howTo} contribute\b|\bcontribut(?:ing|ion) (?:guide|guidelines|rules|process)\b`,
    names: 'contributing hacking',
    wanted: 'guide',
  },
  {
    asks: String.raw`\bsecurity polic(?:y|ies)\W*$|\breport (?:an? )?(?:security )?(?:vulnerabilit(?:y|ies)|(?:security )?issues?)\W*$`,
    names: 'security.',
    wanted: 'documentation',
  },
  {
    asks: String.raw`\bchange ?logs?\b|\brelease[- ]notes\b|\bwhat(?:'s| is| has)? (?:new|changed?) (?:in|with|since) (?:(?:the|its) )?(?:last|latest|version|release|v?\d)`,
    names: 'changelog changes. release_notes release-notes history. news.',
    wanted: 'changelog',
  },
  {
    asks: String.raw`\b(?:ci(?:\/cd)?|continuous integration) (?:config(?:uration)?|set ?up|pipelines?|workflows?|jobs?|builds?)\b`,
    names: '.github/workflows/ .gitlab-ci. .travis. azure-pipelines jenkinsfile .circleci/',
    wanted: 'workflow',
  },
  {
    asks: String.raw`\b(?:which|what) (?:(?:third[- ]party|external|runtime) )*(?:dependencies|libraries|packages) (?:does|do) ${project} (?:have|use|need|require|depend on)\b|\bwhat are (?:the|its) (?:external )?dependencies\W*$|^\W*(?:list (?:of )?)?dependencies\W*$`,
    names:
      'go.mod package.json pyproject. requirements. cargo.toml gemfile pom.xml build.gradle composer.json cmakelists.',
    wanted: 'manifest',
  },
];
/** Longer questions say more. In characters. */
const longestOfProject = 200;

/** The names of files that answer what a text asks of a project, which may be called by its name. */
function wellKnownFiles(text: string, projects: ReadonlySet<string>): { names: string[]; wanted: string[] } {
  const ofAny = text.replaceAll(/\w(?:[\w.-]*\w)?/g, (word) => (projects.has(word.toLowerCase()) ? 'project' : word));
  const asked = text.length > longestOfProject ? [] : wellKnown.filter(({ asks }) => new RegExp(asks, 'i').test(ofAny));
  return { names: asked.flatMap(({ names }) => names.split(' ')), wanted: asked.map(({ wanted }) => wanted) };
}
