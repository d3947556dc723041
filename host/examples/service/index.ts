import { SextantError, definePlugin, defineTool, didYouMean, token } from '@sextant/core';
import { z } from 'zod';

/** The contract: what other plugins may ask for. Export it from a package of its own if they come from elsewhere. */
export interface WordMeanings {
  /** Throws `not_found` for a word without a meaning. */
  explain(word: string): Promise<string>;
}
export const WordMeanings = token<WordMeanings>('word-meanings');

const explain = defineTool({
  name: 'word_meanings',
  title: 'Explain a word',
  description: 'What a word of this company means. Use it for names that the code does not explain.',
  endpoints: [],
  needs: { wordMeanings: WordMeanings },
  input: z.object({ word: z.string().describe('The word, in any case.') }),
  output: z.object({ meaning: z.string() }),
  run: async ({ word }, { wordMeanings }) => ({ meaning: await wordMeanings.explain(word) }),
  toText: ({ meaning }) => meaning,
});

export default definePlugin({
  name: 'service-word-meanings',
  // In the configuration: `service-word-meanings: { words: { cart: "What a customer is about to buy." } }`
  config: z.object({ words: z.record(z.string(), z.string()).default({}) }),
  provides: { wordMeanings: WordMeanings },
  tools: [explain],
  async start({ words }) {
    const meanings = new Map(Object.entries(words).map(([word, meaning]) => [word.toLowerCase(), meaning]));
    const value: WordMeanings = {
      async explain(word) {
        const meaning = meanings.get(word.toLowerCase());
        if (meaning !== undefined) return meaning;
        throw new SextantError('not_found', `there is no "${word}".${didYouMean(word, [...meanings.keys()])}`);
      },
    };
    return { wordMeanings: { value } };
  },
});
