import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModel } from 'ai';
import type { ModelSettings } from './config.ts';

/** The model that the configuration names. Nothing is sent yet. */
export function modelOf(settings: ModelSettings): LanguageModel {
  const fetch = answeringWithin(settings.stallSeconds * 1000);
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

/** The library watches over what comes after the head of an answer; this over the head. */
const answeringWithin =
  (milliseconds: number): typeof fetch =>
  async (input, init) => {
    const controller = new AbortController();
    const late = setTimeout(() => controller.abort(new DOMException('no answer', 'TimeoutError')), milliseconds);
    const signal = AbortSignal.any([controller.signal, ...(init?.signal ? [init.signal] : [])]);
    try {
      // A redirect could lead the key, and what the model is asked, elsewhere.
      return await fetch(input, { ...init, signal, redirect: 'error' });
    } finally {
      clearTimeout(late);
    }
  };
