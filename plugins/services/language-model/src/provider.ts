import { joinSignals } from '@sextant/core';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModel } from 'ai';
import type { ModelSettings } from './config.ts';
import { FailedResearch } from './failures.ts';

/** The model that the configuration names. Nothing is sent yet. */
export function modelOf(settings: ModelSettings): LanguageModel {
  const fetch = answeringWithin(settings);
  if (settings.provider === 'anthropic') {
    const { apiKey, baseURL, model } = settings;
    return createAnthropic({ apiKey, fetch, ...(baseURL !== undefined && { baseURL }) })(model);
  }
  const { apiKey, baseURL, model } = settings;
  const provider = createOpenAICompatible({
    name: 'language-model',
    baseURL,
    fetch,
    includeUsage: true,
    ...(apiKey !== undefined && { apiKey }),
  });
  return provider(model);
}

/** Ends a response that has more bytes: a model that never stops must not fill the memory until its time is over. */
function atMost(bytes: number): TransformStream<Uint8Array, Uint8Array> {
  let seen = 0;
  return new TransformStream({
    transform(piece, controller) {
      seen += piece.byteLength;
      if (seen > bytes) controller.error(new FailedResearch(`one of its responses has more than ${bytes} bytes`));
      else controller.enqueue(piece);
    },
  });
}

/** The library watches over what comes after the head of an answer and over how fast; this over the head and how much. */
const answeringWithin =
  ({ stallSeconds, maxResponseBytes }: ModelSettings): typeof fetch =>
  async (input, init) => {
    const controller = new AbortController();
    const late = setTimeout(() => controller.abort(new DOMException('no answer', 'TimeoutError')), stallSeconds * 1000);
    const signal = joinSignals(controller.signal, ...(init?.signal ? [init.signal] : []));
    try {
      // A redirect could lead the key, and what the model is asked, elsewhere.
      const { body, status, headers } = await fetch(input, { ...init, signal, redirect: 'error' });
      return new Response(body?.pipeThrough(atMost(maxResponseBytes)) ?? null, { status, headers });
    } finally {
      clearTimeout(late);
    }
  };
