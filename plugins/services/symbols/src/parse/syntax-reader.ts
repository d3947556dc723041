import { fileURLToPath } from 'node:url';
import { Language, Parser, Query } from 'web-tree-sitter';
import type { FileSyntax } from './file-symbols.ts';
import type { Grammar } from './parse-pool.ts';
import { TagCollector } from './tag-collector.ts';

/** Matches between two looks at the time. */
const matchesAtOnce = 50;

/** Reads what files of one language define and use. */
export class SyntaxReader {
  readonly #parser: Parser;
  readonly #query: Query;
  readonly #repairs: readonly { readonly find: RegExp; readonly with: string }[];

  static async load({ grammar, query, repairs = [] }: Grammar): Promise<SyntaxReader> {
    await Parser.init();
    const language = await Language.load(fileURLToPath(grammar));
    return new SyntaxReader(language, new Query(language, query), repairs);
  }

  private constructor(language: Language, query: Query, repairs: NonNullable<Grammar['repairs']>) {
    this.#parser = new Parser().setLanguage(language);
    this.#query = query;
    this.#repairs = repairs.map(({ find, with: by }) => ({ find: new RegExp(find, 'gu'), with: by }));
  }

  /** Undefined if parsing takes longer than `limit` milliseconds, or is canceled. A file with errors of syntax is read as far as possible. */
  read(text: string, limit: number, isCanceled: () => boolean = () => false): FileSyntax | undefined {
    const deadline = performance.now() + limit;
    const isLate = (): boolean => performance.now() > deadline || isCanceled();
    const readable = this.#repairs.reduce((part, { find, with: by }) => part.replace(find, by), text);
    const tree = this.#parser.parse(readable, null, { progressCallback: isLate });
    if (!tree) {
      this.#parser.reset();
      return undefined;
    }
    try {
      const tags = new TagCollector();
      const matches = this.#query.matches(tree.rootNode, { progressCallback: isLate });
      for (const [index, { captures }] of matches.entries()) {
        // Finding the nodes around a match can be slow in deeply nested code.
        if (index % matchesAtOnce === 0 && isLate()) break;
        tags.add(captures);
      }
      // Half of the names would be taken for all of them from now on.
      return isLate() ? undefined : tags.symbols(isLate);
    } finally {
      tree.delete();
    }
  }
}
