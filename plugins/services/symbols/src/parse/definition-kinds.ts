const setOf = (kinds: string): ReadonlySet<string> => new Set(kinds.split(' '));

/** What holds members. */
export const containerKinds = setOf('class interface type enum namespace struct trait module');
/** What names can stand behind. */
export const qualifierKinds: ReadonlySet<string> = new Set([...containerKinds, 'package']);
/** What can be called. */
export const callableKinds = setOf('function method constructor macro');
/** What cannot be called. */
export const spaceKinds = setOf('module namespace package');
/** What cannot stand where a type is wanted. */
export const valueKinds = setOf('function method constructor property constant variable');
