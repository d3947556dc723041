import { DefinitionRules } from '@sextant/library-block-index';
import { definitionWords } from '@sextant/library-search-results';

/** What definition filters count as a definition: what `definitionWeight` does. */
export const nameRules = new DefinitionRules(definitionWords);
