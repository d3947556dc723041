/** The bytes of a shard or of its content are not those that were written, or a version wrote them that this one cannot read. Build it again. */
export class DamagedShardError extends Error {
  override readonly name = 'DamagedShardError';
}

/** A search exceeds a limit that the message names, or the arena has no room left for it. */
export class LimitError extends Error {
  override readonly name = 'LimitError';
}

/** A query that has no meaning here; `position` counts UTF-16 units from the start of the pattern or text that it speaks of. */
export class QueryError extends Error {
  override readonly name = 'QueryError';
  readonly position: number;

  constructor(message: string, position: number) {
    super(`${message} (at position ${position})`);
    this.position = position;
  }
}
