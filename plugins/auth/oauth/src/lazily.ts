/** Makes a value when it is first wanted. Loading the library of the protocol takes longer than the start of all other plugins. */
export function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
