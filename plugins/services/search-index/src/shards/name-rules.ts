import { DefinitionRules } from '@sextant/library-block-index';
import { definitionWords } from '@sextant/library-ranking';

/** What definition filters count as a definition: what `definitionWeight` does. */
export const nameRules = new DefinitionRules(definitionWords);
