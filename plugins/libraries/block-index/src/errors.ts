/** A shard or its content is damaged, or was written by a version that this one cannot read. Build it again. */
export class DamagedShardError extends Error {
  override readonly name = 'DamagedShardError';
}

/** The shard is of a version of the format that this program does not read. */
export class ShardVersionError extends DamagedShardError {}

/** A limit that the message names is exceeded, or the arena has no room left. */
export class LimitError extends Error {
  override readonly name = 'LimitError';
}

/** A query is not valid. `position` is the offset in UTF-16 units in the pattern or text that the message is about. */
export class QueryError extends Error {
  override readonly name = 'QueryError';
  readonly position: number;

  constructor(message: string, position: number) {
    super(`${message} (at position ${position})`);
    this.position = position;
  }
}
