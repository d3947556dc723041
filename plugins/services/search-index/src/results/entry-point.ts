import type { QueryWord } from './words.ts';

const point = String.raw`\bentry[- ]?points?\b`;
const program = 'main|program|app|application|server|service|cli|tool|daemon|binary|executable';
const whole = 'project|repo|repository|code|codebase';
/** "Main entry point", "the entry point of the etcd server", "entry point of etcd", and nothing but that; the entry points of a list are things of the program. */
const asksForMain = new RegExp(
  [
    String.raw`\b(?:${program}) ${point}`,
    String.raw`${point} (?:of|in|to|for|into) (?:(?:the|this|our) )?(?:[\w.-]+ )?(?:${program}|${whole})\b`,
    String.raw`\bentry[- ]?point (?:of|in|to|into) (?:the )?[\w.-]+\W*$`,
    String.raw`^\W*(?:(?:what|where) (?:is|are) )?(?:the )?${point}\W*$`,
  ].join('|'),
  'i',
);
/** They say what is asked for, and not what stands there. */
const said = new RegExp(String.raw`${point}|\b(?:main|program|application|app|${whole})\b`, 'gi');

/** How languages begin a program, and where commands are kept. */
const beginnings = [
  'func main(',
  'fn main(',
  'int main(',
  'main(int argc',
  'void main(',
  'def main(',
  '__main__',
  'cmd/',
];
const mainWords: readonly QueryWord[] = [
  { prefix: 'main.', weight: 2, isExact: false },
  ...beginnings.map((prefix) => ({ prefix, weight: 1, isExact: true })),
];

/** A question for where a program begins: code does not say so, it has a function, or a file, of that name. */
export const entryPoint = (text: string): { readonly words: readonly QueryWord[]; readonly rest: string } =>
  asksForMain.test(text) ? { words: mainWords, rest: text.replaceAll(said, ' ') } : { words: [], rest: text };
