import { z } from 'zod';

const limits = {
  model: z.string().min(1).describe('Name of the model, as the provider spells it'),
  maxCalls: z.int().min(1).max(500).default(40).describe('Most tool calls for one question'),
  maxTokens: z
    .int()
    .min(1000)
    .max(10_000_000)
    .default(400_000)
    .describe('Most tokens, read and written, for one question'),
  maxSeconds: z.number().min(1).max(3600).default(300).describe('Longest time for one question'),
  maxResponseBytes: z
    .int()
    .min(1000)
    .max(1_073_741_824)
    .default(33_554_432)
    .describe('Most bytes of one response of the model, as they come over the wire'),
  stallSeconds: z.number().min(0.1).max(600).default(60).describe('Longest silence of the model'),
};

const openAICompatible = z.strictObject({
  provider: z.literal('openai-compatible').describe('Anything that speaks the chat completions of OpenAI'),
  baseURL: z.url({ protocol: /^https?$/ }).describe('Its address up to and without /chat/completions'),
  apiKey: z.string().min(1).optional().describe('Sent as a bearer token; absent: none is sent'),
  ...limits,
});

const anthropic = z.strictObject({
  provider: z.literal('anthropic').describe('The messages API of Anthropic'),
  baseURL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Absent: the public one'),
  apiKey: z.string().min(1),
  ...limits,
});

export const config = z.object({
  languageModel: z
    .discriminatedUnion('provider', [openAICompatible, anthropic])
    .optional()
    .describe('A language model for code_finder and deepsearch; absent: the built-in researcher answers'),
});

export type ModelSettings = NonNullable<z.output<typeof config>['languageModel']>;
