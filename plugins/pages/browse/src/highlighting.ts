import { token } from '@sextant/core';
import type { Highlighter } from './highlight/highlighter.ts';

/** The highlighter that this plugin starts. */
export const highlighting = token<Highlighter>('page-browse-highlighter');
