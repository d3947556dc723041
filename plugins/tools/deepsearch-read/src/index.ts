import { Conversations, Links, conversationMarkdown, linkedSource, questionStatuses } from '@sextant/contracts';
import { definePlugin, defineTool, oneLine } from '@sextant/core';
import { z } from 'zod';

const source = z.object({
  repo: z.string(),
  path: z.string(),
  commit: z.string(),
  startLine: z.int(),
  endLine: z.int(),
  url: z.string(),
});

export const deepsearchRead = defineTool({
  name: 'deepsearch_read',
  title: 'Read a deep search',
  description: 'Reads a deepsearch conversation, also one that is being worked on: its state, answers and sources.',
  guidance: { find: 'deepsearch_read opens what deepsearch, or a person with a /deepsearch/ link, refers to.' },
  endpoints: ['default', 'deepsearch'],
  needs: { conversations: Conversations, links: Links },
  input: z.object({
    identifier: z.string().max(4096).describe('What deepsearch returned, or the address of its page'),
  }),
  output: z.object({
    status: z.enum(questionStatuses),
    title: z.string(),
    markdown: z.string(),
    sources: z.array(source),
    link: z.string(),
  }),
  async run({ identifier }, { conversations, links }, { caller }) {
    const conversation = await conversations.read(caller, identifier);
    const { status, title, link, turns } = conversation;
    const sources = turns.flatMap((turn) => turn.sources).map((each) => linkedSource(each, links));
    return { status, title, markdown: conversationMarkdown(conversation), sources, link };
  },
  rest: 'the page at the address above has all of it',
  cuts: { of: [['markdown'], ['sources']] },
  toText: ({ title, status, markdown, link }) => `${oneLine(`# ${title} (${status})`)}\n${link}\n\n${markdown}`,
  filesOf: ({ sources }) => sources.map(({ path }) => path),
});

export default definePlugin({ name: 'tool-deepsearch-read', tools: [deepsearchRead] });
