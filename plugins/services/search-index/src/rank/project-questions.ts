import type { PathClass } from '@sextant/library-ranking';
import type { QueryWord } from './words.ts';

/**
 * Questions about a project as a whole, such as how it is built. Its code does not say it, so they are answered by the files that hold it by
 * convention.
 */
interface ProjectQuestion {
  readonly asks: RegExp;
  /** Words that say what is asked for. They are not looked for. */
  readonly asked: RegExp;
  /** Files of this class are asked for. */
  readonly wants?: PathClass;
  /** Names of files, or what they begin with, and their weights. */
  readonly files?: Readonly<Record<string, number>>;
  /** Texts and parts of paths that are looked for exactly, and their weights. */
  readonly exactly?: Readonly<Record<string, number>>;
}

/** Longer questions say more. In characters. */
const longest = 200;

const program = 'main|program|app|application|server|service|cli|tool|daemon|binary|executable';
const whole = 'project|repo|repository|code|codebase|library|framework';
const it = `(?:it|this|(?:(?:this|the|our) )?(?:${whole}|${program}))`;
const how = String.raw`\bhow (?:do (?:i|we|you)|(?:can|could|should) (?:i|we|one)|to)`;
const entryPoint = String.raw`\bentry[- ]?points?\b`;
const noise = `${whole}|purpose|summary|source|locally|instructions|guide|guidelines|steps|policy`;
const anyOf = (...patterns: readonly string[]): RegExp => new RegExp(patterns.join('|'), 'i');
/** Words by themselves: `spring-framework` is a name. */
const wordsOf = (...alternatives: readonly string[]): RegExp =>
  new RegExp(String.raw`(?<![-\w.])(?:${alternatives.join('|')})(?![-\w])`, 'gi');
const each = (weight: number, ...names: readonly string[]): Record<string, number> =>
  Object.fromEntries(names.map((name) => [name, weight]));

const projectQuestions: readonly ProjectQuestion[] = [
  // "Main entry point", "the entry point of the cart server", and nothing but that: a list has entry points, too.
  {
    asks: anyOf(
      String.raw`\b(?:${whole}|${program}) ${entryPoint}`,
      String.raw`${entryPoint} (?:of|in|to|for|into) (?:(?:this|the|our) )?(?:[\w.-]+ )?(?:${whole}|${program})\b`,
      String.raw`^\W*(?:(?:what|where) (?:is|are) )?(?:the )?${entryPoint}\W*$`,
    ),
    asked: wordsOf(entryPoint, 'main|program|application|app', whole),
    files: { 'main.': 2 },
    // How languages begin a program, and where commands are kept.
    exactly: each(
      1,
      'func main(',
      'fn main(',
      'int main(',
      'main(int argc',
      'void main(',
      'def main(',
      '__main__',
      'cmd/',
    ),
  },
  // "What does this project do", "overview of the repository".
  {
    asks: anyOf(
      String.raw`\bwhat (?:is|does) ${it}(?: (?:do|about|for))?\W*$`,
      String.raw`\b(?:overview|introduction|purpose|summary) (?:of|to) ${it}\b`,
      String.raw`\b(?:${whole}) (?:overview|introduction|purpose|summary)\b`,
    ),
    asked: wordsOf(noise),
    wants: 'documentation',
    files: { 'readme.': 3, overview: 1, introduction: 1 },
    exactly: { readme: 0.5 },
  },
  // "How do I build it", "how to run the server locally", "installation instructions".
  {
    asks: anyOf(
      String.raw`${how} (?:build|compile|install|run|start|set ?up|deploy)(?: and (?:run|install|test))?(?: ${it})?(?: (?:from source|locally|on \w+))?\W*$`,
      String.raw`\b(?:build|installation|install|setup|development) (?:instructions|guide|steps|requirements|prerequisites)\b`,
    ),
    asked: wordsOf(noise),
    wants: 'documentation',
    files: { ...each(2, 'readme.', 'install'), ...each(1, 'contributing', 'makefile', 'building') },
    exactly: { readme: 0.5 },
  },
  // "How do I run the unit tests".
  {
    asks: anyOf(
      String.raw`${how} (?:run|execute|start) (?:(?:all|the|this|its|unit|integration|of|(?:${whole})(?:'s)?) )*tests?\b`,
    ),
    asked: wordsOf(noise, 'run|execute|start|tests?'),
    wants: 'documentation',
    files: {
      ...each(2, 'readme.', 'contributing', 'testing'),
      ...each(1, 'makefile', 'hacking', 'development', 'run tests'),
    },
  },
  // "How can I contribute", "contribution guidelines".
  {
    asks: anyOf(
      String.raw`${how} contribute\b`,
      String.raw`\bcontribut(?:ing|ion|or) (?:guide|guidelines|rules|process|instructions)\b`,
    ),
    asked: wordsOf(noise, String.raw`contribut\w*`),
    wants: 'documentation',
    files: { contributing: 3, ...each(0.5, 'hacking', 'readme.') },
  },
  // "Security policy", "how do I report a vulnerability".
  {
    asks: anyOf(
      String.raw`\bsecurity polic(?:y|ies)\W*$`,
      String.raw`\breport (?:an? )?(?:security )?(?:vulnerabilit(?:y|ies)|(?:security )?issues?)\W*$`,
    ),
    asked: wordsOf(noise, 'report'),
    wants: 'documentation',
    files: { 'security.': 3 },
    exactly: { 'security policy': 1 },
  },
  // "Changelog", "release notes", "what is new in the latest version".
  {
    asks: anyOf(
      String.raw`\bchange ?logs?\b`,
      String.raw`\brelease[- ]notes\b`,
      String.raw`\bwhat(?:'s| is| has| was)? (?:new|changed?) (?:in|with|since) (?:(?:the|its) )?(?:last|latest|newest|version|release|v?\d)`,
    ),
    asked: wordsOf(noise, 'change ?logs?|changed?|new|last|latest|newest|version|releases?|release[- ]notes'),
    wants: 'documentation',
    files: each(2, 'changelog', 'changes.', 'release_notes', 'release-notes', 'history.', 'whatsnew', 'relnotes'),
  },
  // "CI configuration", "where is the build pipeline".
  {
    asks: anyOf(
      String.raw`\b(?:ci(?:\/cd)?|continuous integration) (?:config(?:uration)?|set ?up|pipelines?|workflows?|jobs?|builds?)\b`,
      String.raw`\bbuild pipelines?\W*$`,
    ),
    asked: wordsOf(noise, String.raw`ci(?:\/cd)?|continuous integration|config(?:uration)?|set ?up|build`),
    wants: 'configuration',
    files: each(2, '.gitlab-ci.', '.travis.', 'azure-pipelines', 'jenkinsfile', 'appveyor.', '.cirrus.'),
    exactly: each(2, '.github/workflows/', '.circleci/'),
  },
  // "Which dependencies does it have", "third-party libraries".
  {
    asks: anyOf(
      String.raw`\b(?:which|what) (?:(?:third[- ]party|external|runtime|other) )*(?:dependencies|libraries|packages) (?:does|do) ${it} (?:have|use|need|require|depend on)\b`,
      String.raw`\bwhat are (?:the|its) (?:external |third[- ]party )?dependencies\W*$`,
      String.raw`\b(?:dependencies|third[- ]party libraries) (?:of|for|in) ${it}\W*$`,
      String.raw`^\W*(?:(?:list of|list|show|all) )*(?:third[- ]party |external )?dependencies\W*$`,
    ),
    asked: wordsOf(noise, 'dependencies|libraries|packages|third[- ]party|external|depends?'),
    wants: 'configuration',
    files: each(
      2,
      'go.mod',
      'package.json',
      'pyproject.',
      'requirements.',
      'setup.py',
      'cargo.toml',
      'gemfile',
      'pom.xml',
      'build.gradle',
      'libs.versions.',
      'mix.exs',
      'composer.json',
      'cmakelists.',
      'configure.ac',
    ),
  },
];

const wordsFor = ({ wants, files = {}, exactly = {} }: ProjectQuestion): QueryWord[] => [
  ...Object.entries(files).map(
    ([prefix, weight]): QueryWord => ({ prefix, weight, isExact: false, isShallow: true, ...(wants && { wants }) }),
  ),
  ...Object.entries(exactly).map(([prefix, weight]): QueryWord => ({ prefix, weight, isExact: true })),
];

/** The words that answer what a question asks of a project as a whole, and the rest of the question. The projects have these names, in lower case. */
export function projectQuestion(
  text: string,
  names: ReadonlySet<string>,
): { readonly words: readonly QueryWord[]; readonly rest: string } {
  if (text.length > longest) return { words: [], rest: text };
  const ofAny = text.replaceAll(/\w(?:[\w.-]*\w)?/g, (word) => (names.has(word.toLowerCase()) ? 'project' : word));
  const questions = projectQuestions.filter(({ asks }) => asks.test(ofAny));
  const rest = questions.reduce((left, { asked }) => left.replaceAll(asked, ' '), text);
  return { words: questions.flatMap(wordsFor), rest };
}
