import { filtersIn } from './filters.ts';

const opening =
  /^(?:how|what|what's|where|where's|which|who|whose|why|when|is|are|do|does|did|can|could|should|explain|show me|find|list)\b/i;
/** What exact searches have and sentences do not: operators, quotes, expressions, names of code. */
const exact = /["`/\\(){}[\]<>=;|&*_$]|(?<!\S)(?:AND|OR|NOT)(?!\S)|(?<!\S)-\S|\w[.:]\w|[a-z][A-Z]/;
const fewestWords = 4;
/** A sentence that ends with a question mark may be shorter. */
const fewestAsked = 3;

/** Whether a query is a question in plain words, which no file has word by word. Its filters do not count. */
export function isQuestion(query: string): boolean {
  const filters = filtersIn(query);
  if (filters.some(({ text }) => /^type:/i.test(text))) return false;
  const text = filters.reduce((rest, filter) => rest.replace(filter.text, ' '), query).trim();
  const isAsked = text.endsWith('?');
  const sentence = isAsked ? text.replace(/\s*\?+$/, '') : text;
  const words = sentence.split(/\s+/).length;
  if (words < fewestAsked || sentence.includes('?')) return false;
  if (isAsked) return !/["`/\\{}[\]|]/.test(sentence);
  return words >= fewestWords && opening.test(sentence) && !exact.test(sentence);
}
