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
const named = (weight: number, ...prefixes: readonly string[]): QueryWord[] =>
  prefixes.map((prefix) => ({ prefix, weight, isExact: false, isShallow: true }));
const exactly = (weight: number, ...prefixes: readonly string[]): QueryWord[] =>
  prefixes.map((prefix) => ({ prefix, weight, isExact: true }));

const it = `(?:(?:this|the|our) )?(?:${whole}|${program})`;
const how = String.raw`\bhow (?:do (?:i|we|you)|can (?:i|we)|to)`;
const point = String.raw`\bentry[- ]?points?\b`;

/** "Main entry point", "the entry point of the cart server", and nothing but that; the entry points of a list are things of the program. */
const entryPoint: ProjectQuestion = {
  asks: anyOf(
    String.raw`\b(?:${whole}|${program}) ${point}`,
    String.raw`${point} (?:of|in|to|for|into) (?:(?:this|the|our) )?(?:[\w.-]+ )?(?:${whole}|${program})\b`,
    String.raw`^\W*(?:(?:what|where) (?:is|are) )?(?:the )?${point}\W*$`,
  ),
  said: new RegExp(String.raw`${point}|\b(?:main|program|application|app|${whole})\b`, 'gi'),
  // How languages begin a program, and where commands are kept.
  words: [
    ...named(2, 'main.'),
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
  said: new RegExp(String.raw`\b(?:${whole}|purpose|summary)\b`, 'gi'),
  words: [...named(3, 'readme.'), ...exactly(0.5, 'readme'), ...named(1, 'overview', 'introduction')],
};

/** "How do I build it", "how to run the server locally", "installation instructions". */
const setUp: ProjectQuestion = {
  asks: anyOf(
    String.raw`${how} (?:build|compile|install|run|start|set ?up|deploy)(?: and (?:run|install|test))?(?: (?:it|this|${it}))?(?: (?:from source|locally|on \w+))?\W*$`,
    String.raw`\b(?:build|installation|install|setup|development) (?:instructions|guide|steps|requirements|prerequisites)\b`,
  ),
  said: new RegExp(String.raw`\b(?:${whole}|source|locally|instructions|guide|steps)\b`, 'gi'),
  words: [
    ...named(2, 'readme.', 'install'),
    ...exactly(0.5, 'readme'),
    ...named(1, 'contributing', 'makefile', 'building'),
  ],
};

/** What a question asks of a project as a whole, in words that stand there, and what else it says. The projects have these names, in lower case. */
export function projectQuestion(
  text: string,
  names: ReadonlySet<string>,
): { readonly words: readonly QueryWord[]; readonly rest: string } {
  if (text.length > longest) return { words: [], rest: text };
  const ofAny = text.replaceAll(/\w(?:[\w.-]*\w)?/g, (word) => (names.has(word.toLowerCase()) ? 'project' : word));
  const asked = [entryPoint, about, setUp].filter(({ asks }) => asks.test(ofAny));
  const rest = asked.reduce((left, { said }) => left.replaceAll(said, ' '), text);
  return { words: asked.flatMap(({ words }) => words), rest };
}
