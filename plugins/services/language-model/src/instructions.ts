import type { Localisation, ResearchAnswer, ResearchQuestion, ResearchTask } from '@sextant/contracts';
import { oneLine, cut } from '@sextant/core';
import { citationForm } from './citations.ts';
import type { RepositoryData } from './repository-data.ts';

/** Most characters of what the built-in researcher found that a model is given to begin with. */
const longestHint = 8000;

const common = (data: RepositoryData): string[] => [
  'You research code in git repositories with read-only tools. You cannot change, run or fetch anything else.',
  'Work in few calls: search, read what matters, then answer. Only state what you read in the files.',
  data.explanation,
];

export const answering = (data: RepositoryData): string =>
  [
    ...common(data),
    `Answer in short markdown, the conclusion first. Cite the lines behind each statement as ${citationForm}, such as [[shop|src/cart.ts|12-30]]; write no other links.`,
    'Where the code does not answer the question, say what you looked for and did not find.',
  ].join('\n');

export const locating = (data: RepositoryData): string =>
  [
    ...common(data),
    'Find where in the code the task is to be done: the files and line ranges that a developer would change, the likeliest first, at most 20.',
    `Then call ${reportName} once.`,
  ].join('\n');

/** Name of the tool whose call ends the search for locations. */
export const reportName = 'report_locations';

export const questionPrompt = (
  { question, history = [], scope }: ResearchQuestion,
  { found, data }: { found: ResearchAnswer; data: RepositoryData },
): string =>
  [
    ...history.flatMap((turn) => [`Earlier question: ${turn.question}`, `Earlier answer:\n${data.mark(turn.answer)}`]),
    ...(scope && scope.length > 0 ? [`Look only at these repositories: ${scope.join(', ')}`] : []),
    `Question: ${question}`,
    `A first search without a model found this; it may be beside the point:\n${data.mark(cut(found.markdown, longestHint))}`,
  ].join('\n\n');

export const taskPrompt = (
  { task, repo, revision }: ResearchTask,
  { found, data }: { found: Localisation; data: RepositoryData },
): string =>
  [
    ...(repo === undefined ? [] : [`Repository: ${repo}`]),
    ...(revision === undefined ? [] : [`Revision: ${revision} (give it to every tool that takes one)`]),
    `Task: ${task}`,
    `A first search without a model proposes, best first:\n${data.mark(cut(found.locations.map(lineOf).join('\n'), longestHint))}`,
  ].join('\n\n');

const lineOf = ({ repo, path, startLine, endLine, reason }: Localisation['locations'][number]): string =>
  oneLine(`${repo} ${path} ${startLine}-${endLine}: ${reason}`);
