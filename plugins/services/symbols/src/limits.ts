/** The limits of answers. Settings are in `index.ts`; sizes of batches and caches stand where they are used. */

/** Lines shown of a definition and of a use, and characters of a line. */
export const shownLimits = { beforeDefinition: 2, definition: 50, beforeUse: 4, afterUse: 2, lineLength: 256 };
/** Definitions that one answer names, and definitions of one outline. */
export const mostDefinitions = { answer: 10, outline: 5000 };
/** Of an outline: characters of a signature or comment, lines of both, and columns that are read around a name. */
export const declaration = { characters: 200, signatureLines: 20, commentLines: 200, columns: 1000 };
/** Files found by their text for a name that syntax does not explain, and uses of one that comes from outside. */
export const byText = { files: 10, outsideUses: 3 };
/** Of `type:symbol`: files that are read, with and without a condition on names, and places of one file. */
export const symbolSearch = { files: { named: 3000, any: 300 }, anyNameMs: 3000, places: 3 };

/** Files parsed to find the definition of a name. `rivals`: members of that name that are compared. */
export const definerLimits = { repository: 300, elsewhere: 50, module: 20, namespace: 50, rivals: 100, named: 3 };
/** Files parsed to find the uses of a definition. `types`: types that have a member of that name. */
export const userLimits = { repository: 2000, elsewhere: 500, types: 20, aliases: 5 };
/** Files parsed for a name in a revision that is not read ahead. */
export const mostParsed = { definition: 100, use: 300 };
/** Re-exports followed in a row, which also ends circles, and repositories that may have a package. */
export const importLimits = { chain: 100, packages: 5 };
/** Steps of inferring one value, levels of base types, and groups of uses with the same text before them. */
export const inference = { steps: 400, bases: 10, groups: 10 };
/** Values whose types are inferred until enough uses are found. Each `steps` of inference count as one more. */
export const inferredValues = { values: 600, steps: 200 };

/** Characters of a file that is parsed, and of one line of it. */
export const parsedText = { characters: 1_000_000, line: 20_000 };
/** Definitions of one file, and pairs of a definition and a use of one name: a search may look at each pair. */
export const parsedFile = { definitions: 50_000, pairs: 20_000_000 };
