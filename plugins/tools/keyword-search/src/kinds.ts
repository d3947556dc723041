import { History, Links, Symbols } from '@sextant/contracts';
import { optional } from '@sextant/core';
import type { Call, Resolved } from '@sextant/core';
import type { KeywordAnswer } from './answer.ts';
import { historyAnswer } from './history-answer.ts';
import { symbolAnswer } from './symbol-answer.ts';

/** Services that answer queries for something else than files, where they are loaded. */
export const kindNeeds = { links: Links, history: optional(History), symbols: optional(Symbols) };

/** Undefined where the query asks for something else, or nobody here answers it. */
type Kind = (query: string, services: Resolved<typeof kindNeeds>, call: Call) => Promise<KeywordAnswer | undefined>;

/** Asked one after the other; a query for files is for none of them. */
const kinds: readonly Kind[] = [historyAnswer, symbolAnswer];

/** What one of them answers. */
export const answerOfKind: Kind = async (query, services, call) => {
  for (const kind of kinds) {
    const answer = await kind(query, services, call);
    if (answer) return answer;
  }
  return undefined;
};
