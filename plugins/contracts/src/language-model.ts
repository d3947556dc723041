import { token } from '@sextant/core';
import type { Researcher } from './researcher.ts';

/**
 * Research by a language model that calls the read-only tools of this server as the caller does. What it cites was read
 * and is there; where the model fails, or none is configured, the answer is the built-in researcher's and, after a
 * failure, says so. There to be preferred: `model ?? researcher`.
 */
export const LanguageModel = token<Researcher>('language-model');
