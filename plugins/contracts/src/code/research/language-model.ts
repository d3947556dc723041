import { token } from '@sextant/core';
import { researcherMembers } from './researcher.ts';
import type { Researcher } from './researcher.ts';

/**
 * Research by a language model that calls the read-only tools of this server as the caller. Its citations were checked.
 * If the model fails, or none is configured, the answer is the built-in researcher's. After a failure the answer says
 * so. Prefer it where it is present: `model ?? researcher`.
 */
export const LanguageModel = token<Researcher>('language-model', { remote: researcherMembers });
