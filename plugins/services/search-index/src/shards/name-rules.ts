import { DefinitionRules } from '@sextant/library-block-index';
import { definitionWords } from '@sextant/library-search-results';

/** By which the index tells where `definitionWeight` may find a definition. */
export const nameRules = new DefinitionRules(definitionWords);
