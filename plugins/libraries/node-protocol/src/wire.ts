/** Sizes that are large enough for files to arrive without a pause. */
export const windows = {
  settings: { initialWindowSize: 4 * 1024 * 1024, maxConcurrentStreams: 1000 },
  session: 32 * 1024 * 1024,
} as const;

/** Raised when a method is changed so that the other side of an older version would not understand it. */
export const protocolVersion = 3;

/** Header of each answer. */
export const protocolHeader = 'sextant-protocol';

/** Before a call is accepted, its refusal is a status of HTTP. */
export const statusOf = (code: string): number =>
  ({ unauthenticated: 401, too_large: 413, invalid_argument: 400, conflict: misdirected })[code] ?? 500;

/** RFC 9110, section 15.5.20: the node does not own what it is asked for. */
export const misdirected = 421;
