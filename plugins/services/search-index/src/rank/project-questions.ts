import type { PathClass } from '@sextant/library-search-results';
import type { QueryWord } from './words.ts';

/** What is asked of a project as a whole, of which its code says nothing. */
interface ProjectQuestion {
  readonly asks: RegExp;
  /** Says what is asked for, and not what stands there. */
  readonly said: RegExp;
  /** What stands there. */
  readonly words: readonly QueryWord[];
}

/** Characters of such a question: what is longer says more. */
const longest = 200;

const program = 'main|program|app|application|server|service|cli|tool|daemon|binary|executable';
const whole = 'project|repo|repository|code|codebase|library|framework';
const anyOf = (...patterns: readonly string[]): RegExp => new RegExp(patterns.join('|'), 'i');
const named =
  (wants?: PathClass) =>
  (weight: number, ...prefixes: readonly string[]): QueryWord[] =>
    prefixes.map((prefix) => ({ prefix, weight, isExact: false, isShallow: true, ...(wants && { wants }) }));
const [files, documents, settings] = [named(), named('documentation'), named('configuration')];
const exactly = (weight: number, ...prefixes: readonly string[]): QueryWord[] =>
  prefixes.map((prefix) => ({ prefix, weight, isExact: true }));

const it = `(?:it|this|(?:(?:this|the|our) )?(?:${whole}|${program}))`;
const how = String.raw`\bhow (?:do (?:i|we|you)|(?:can|could|should) (?:i|we|one)|to)`;
const point = String.raw`\bentry[- ]?points?\b`;
const noise = `${whole}|purpose|summary|source|locally|instructions|guide|guidelines|steps|policy`;
/** Words by themselves: `spring-framework` is a name. */
const apart = (...alternatives: readonly string[]): RegExp =>
  new RegExp(String.raw`(?<![-\w.])(?:${alternatives.join('|')})(?![-\w])`, 'gi');

/** "Main entry point", "the entry point of the cart server", and nothing but that; the entry points of a list are things of the program. */
const entryPoint: ProjectQuestion = {
  asks: anyOf(
    String.raw`\b(?:${whole}|${program}) ${point}`,
    String.raw`${point} (?:of|in|to|for|into) (?:(?:this|the|our) )?(?:[\w.-]+ )?(?:${whole}|${program})\b`,
    String.raw`^\W*(?:(?:what|where) (?:is|are) )?(?:the )?${point}\W*$`,
  ),
  said: apart(point, 'main|program|application|app', whole),
  // How languages begin a program, and where commands are kept.
  words: [
    ...files(2, 'main.'),
    ...exactly(
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
  ],
};

/** "What does this project do", "overview of the repository". */
const about: ProjectQuestion = {
  asks: anyOf(
    String.raw`\bwhat (?:is|does) ${it}(?: (?:do|about|for))?\W*$`,
    String.raw`\b(?:overview|introduction|purpose|summary) (?:of|to) ${it}\b`,
    String.raw`\b(?:${whole}) (?:overview|introduction|purpose|summary)\b`,
  ),
  said: apart(noise),
  words: [...documents(3, 'readme.'), ...exactly(0.5, 'readme'), ...documents(1, 'overview', 'introduction')],
};

/** "How do I build it", "how to run the server locally", "installation instructions". */
const setUp: ProjectQuestion = {
  asks: anyOf(
    String.raw`${how} (?:build|compile|install|run|start|set ?up|deploy)(?: and (?:run|install|test))?(?: ${it})?(?: (?:from source|locally|on \w+))?\W*$`,
    String.raw`\b(?:build|installation|install|setup|development) (?:instructions|guide|steps|requirements|prerequisites)\b`,
  ),
  said: apart(noise),
  words: [
    ...documents(2, 'readme.', 'install'),
    ...exactly(0.5, 'readme'),
    ...documents(1, 'contributing', 'makefile', 'building'),
  ],
};

/** "How do I run the unit tests". */
const testing: ProjectQuestion = {
  asks: anyOf(
    String.raw`${how} (?:run|execute|start) (?:(?:all|the|this|its|unit|integration|of|(?:${whole})(?:'s)?) )*tests?\b`,
  ),
  said: apart(noise, String.raw`run|execute|start|tests?`),
  words: [
    ...documents(2, 'readme.', 'contributing', 'testing'),
    ...documents(1, 'makefile', 'hacking', 'development', 'run tests'),
  ],
};

/** "How can I contribute", "contribution guidelines". */
const contributing: ProjectQuestion = {
  asks: anyOf(
    String.raw`${how} contribute\b`,
    String.raw`\bcontribut(?:ing|ion|or) (?:guide|guidelines|rules|process|instructions)\b`,
  ),
  said: apart(noise, String.raw`contribut\w*`),
  words: [...documents(3, 'contributing'), ...documents(0.5, 'hacking', 'readme.')],
};

/** "Security policy", "how do I report a vulnerability". */
const security: ProjectQuestion = {
  asks: anyOf(
    String.raw`\bsecurity polic(?:y|ies)\W*$`,
    String.raw`\breport (?:an? )?(?:security )?(?:vulnerabilit(?:y|ies)|(?:security )?issues?)\W*$`,
  ),
  said: apart(noise, String.raw`report`),
  words: [...documents(3, 'security.'), ...exactly(1, 'security policy')],
};

/** "Changelog", "release notes", "what is new in the latest version". */
const changes: ProjectQuestion = {
  asks: anyOf(
    String.raw`\bchange ?logs?\b`,
    String.raw`\brelease[- ]notes\b`,
    String.raw`\bwhat(?:'s| is| has| was)? (?:new|changed?) (?:in|with|since) (?:(?:the|its) )?(?:last|latest|newest|version|release|v?\d)`,
  ),
  said: apart(noise, String.raw`change ?logs?|changed?|new|last|latest|newest|version|releases?|release[- ]notes`),
  words: documents(2, 'changelog', 'changes.', 'release_notes', 'release-notes', 'history.', 'whatsnew', 'relnotes'),
};

/** "CI configuration", "where is the build pipeline". */
const integration: ProjectQuestion = {
  asks: anyOf(
    String.raw`\b(?:ci(?:\/cd)?|continuous integration) (?:config(?:uration)?|set ?up|pipelines?|workflows?|jobs?|builds?)\b`,
    String.raw`\bbuild pipelines?\W*$`,
  ),
  said: apart(noise, String.raw`ci(?:\/cd)?|continuous integration|config(?:uration)?|set ?up|build`),
  words: [
    ...exactly(2, '.github/workflows/', '.circleci/'),
    ...settings(2, '.gitlab-ci.', '.travis.', 'azure-pipelines', 'jenkinsfile', 'appveyor.', '.cirrus.'),
  ],
};

/** "Which dependencies does it have", "third-party libraries". */
const dependencies: ProjectQuestion = {
  asks: anyOf(
    String.raw`\b(?:which|what) (?:(?:third[- ]party|external|runtime|other) )*(?:dependencies|libraries|packages) (?:does|do) ${it} (?:have|use|need|require|depend on)\b`,
    String.raw`\bwhat are (?:the|its) (?:external |third[- ]party )?dependencies\W*$`,
    String.raw`\b(?:dependencies|third[- ]party libraries) (?:of|for|in) ${it}\W*$`,
    String.raw`^\W*(?:(?:list of|list|show|all) )*(?:third[- ]party |external )?dependencies\W*$`,
  ),
  said: apart(noise, String.raw`dependencies|libraries|packages|third[- ]party|external|depends?`),
  words: [
    ...settings(
      2,
      'go.mod',
      'package.json',
      'pyproject.',
      'requirements.',
      'setup.py',
      'cargo.toml',
      'gemfile',
      'pom.xml',
    ),
    ...settings(2, 'build.gradle', 'libs.versions.', 'mix.exs', 'composer.json', 'cmakelists.', 'configure.ac'),
  ],
};

const projectQuestions = [
  entryPoint,
  about,
  setUp,
  testing,
  contributing,
  security,
  changes,
  integration,
  dependencies,
];

/** What a question asks of a project as a whole, in words that stand there, and what else it says. The projects have these names, in lower case. */
export function projectQuestion(
  text: string,
  names: ReadonlySet<string>,
): { readonly words: readonly QueryWord[]; readonly rest: string } {
  if (text.length > longest) return { words: [], rest: text };
  const ofAny = text.replaceAll(/\w(?:[\w.-]*\w)?/g, (word) => (names.has(word.toLowerCase()) ? 'project' : word));
  const asked = projectQuestions.filter(({ asks }) => asks.test(ofAny));
  const rest = asked.reduce((left, { said }) => left.replaceAll(said, ' '), text);
  return { words: asked.flatMap(({ words }) => words), rest };
}
