const setOf = (kinds: string): ReadonlySet<string> => new Set(kinds.split(' '));

/** Kinds of definitions that are types. */
export const typeKinds = setOf('class interface type enum struct trait union record protocol');
/** Kinds that hold most of a file, and cannot be called. */
export const spaceKinds = setOf('module namespace package');
/** Kinds that hold members. */
export const containerKinds: ReadonlySet<string> = new Set([...typeKinds, 'namespace', 'module']);
/** Kinds that names can stand behind. */
export const qualifierKinds: ReadonlySet<string> = new Set([...typeKinds, ...spaceKinds]);
/** Kinds that can be called. */
export const callableKinds = setOf('function method constructor macro');
/** Kinds that cannot stand where a type is wanted. */
export const valueKinds = setOf('function method constructor property constant variable');
