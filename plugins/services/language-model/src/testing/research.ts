import type { Links, Localisation, ResearchAnswer, Researcher, TextFile } from '@sextant/contracts';
import { oneRepository } from '@sextant/contracts/testing';
import { SextantError, silentLogger } from '@sextant/core';
import type { Call, Logger, Toolbox } from '@sextant/core';
import { config } from '../config.ts';
import type { ModelSettings } from '../config.ts';
import { ModelResearcher } from '../model-researcher.ts';
import { modelOf } from '../provider.ts';

export const externalURL = 'https://code.example.com';
export const commit = 'c'.repeat(40);

/** What the built-in researcher says in these tests. */
export const builtIn: { located: Localisation; answered: ResearchAnswer } = {
  located: {
    summary: 'Built-in summary.',
    locations: [{ repo: 'shop', path: 'cart.ts', commit, startLine: 1, endLine: 2, reason: 'names cart', score: 1 }],
  },
  answered: {
    title: 'Built-in title',
    markdown: 'Built-in answer.',
    sources: [{ repo: 'shop', path: 'cart.ts', commit, startLine: 1, endLine: 2 }],
    parts: [
      { markdown: 'Built-in answer.', sources: [{ repo: 'shop', path: 'cart.ts', commit, startLine: 1, endLine: 2 }] },
    ],
  },
};

const researcherSaying = (answered: ResearchAnswer): Researcher => ({
  locate: async (_caller, { task }) => {
    if (task === '') throw new SextantError('invalid_argument', 'task is empty');
    return builtIn.located;
  },
  answer: async () => answered,
});

/** `shop` has one file of five lines. */
const cart: TextFile = { text: 'a\nb\nc\nd\ne\n', bytes: 10, encoding: 'utf-8', lineStarts: [0, 2, 4, 6, 8] };
const repositories = oneRepository({
  readText: async (_commit, path) => {
    if (path !== 'cart.ts') throw new SextantError('not_found', `no file ${path}`);
    return cart;
  },
});

const links: Links = {
  file: ({ repo, path, revision, startLine, endLine }) =>
    `${externalURL}/${repo}@${revision}/-/blob/${path}?L${startLine}-${endLine}`,
  commit: (repo, hash) => `${externalURL}/${repo}/-/commit/${hash}`,
};

export interface ToolCall {
  readonly name: string;
  readonly input: unknown;
  readonly call: Call;
}

/** A toolbox with two tools, one of which no model may call, and what was called. */
export function toolboxOf(answer: (input: unknown) => string): { toolbox: Toolbox; calls: ToolCall[] } {
  const calls: ToolCall[] = [];
  const inputSchema = {
    type: 'object',
    properties: { query: { type: 'string' } },
    additionalProperties: false,
  } as const;
  const toolbox: Toolbox = {
    tools: ['keyword_search', 'deepsearch'].map((name) => ({
      name,
      title: name,
      description: `Does ${name}.`,
      inputSchema,
    })),
    run: async (name, input, call) => {
      calls.push({ name, input, call });
      return { structured: {}, text: answer(input) };
    },
  };
  return { toolbox, calls };
}

export interface ModelOptions {
  readonly toolbox?: Toolbox;
  readonly settings?: Partial<ModelSettings>;
  readonly log?: Logger;
  /** By the built-in researcher. */
  readonly answered?: ResearchAnswer;
}

/** The researcher that asks the model behind `baseURL`. */
export function researcherOf(baseURL: string, options: ModelOptions = {}): Researcher {
  const given = { provider: 'openai-compatible', baseURL, model: 'm', apiKey: 'k-secret', ...options.settings };
  const { languageModel: settings } = config.parse({ languageModel: given });
  if (!settings) throw new Error('there are no settings');
  const { toolbox = toolboxOf(() => 'found').toolbox, log = silentLogger } = options;
  return new ModelResearcher({
    model: modelOf(settings),
    settings,
    researcher: researcherSaying(options.answered ?? builtIn.answered),
    repositories,
    toolbox,
    links,
    externalURL,
    log,
  });
}
