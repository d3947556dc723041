import { connect, constants } from 'node:http2';
import type { ClientHttp2Session } from 'node:http2';
import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import { SextantError, isSextantError } from '@sextant/core';

/** A file that may match. */
export interface Candidate {
  /** Of its repository. */
  readonly id: number;
  readonly path: string;
  /** The commit that was indexed. */
  readonly commit: string;
  /** As it was indexed, where the answer has it. */
  readonly text: Uint8Array | undefined;
}

export interface Candidates {
  readonly files: readonly Candidate[];
  /** Whether there may be more. */
  readonly isCut: boolean;
}

export interface Listed {
  /** The commit of each of these repositories that can be searched, by its id. */
  readonly commits: ReadonlyMap<number, string>;
  /** Whether these are all; false while the server loads its index. */
  readonly isWhole: boolean;
}

interface CallOptions {
  readonly seconds: number;
  readonly signal: AbortSignal;
}

export interface SearchOptions extends CallOptions {
  /** Most files; Infinity for every one. */
  readonly files: number;
}

/** Bytes of one answer: without texts, and with the texts of the best files. */
const mostBytes = 512 << 20;
const mostWithTexts = 64 << 20;
/** Instead of no limit, which zoekt has not. */
const unlimited = 1_000_000_000;
/** Of the time of a call: after it zoekt answers with what it has. */
const shareOfTime = 0.8;
const service = '/zoekt.webserver.v1.WebserverService';
const frameHead = 5;

/** Asks one zoekt-webserver, by gRPC over HTTP/2 without encryption: it listens on this machine only. */
export class ZoektClient {
  readonly #url: string;
  #session: ClientHttp2Session | undefined;
  #hasAnswered = false;
  /** The first failure since the last answer, and the seconds that it was waited for. */
  #failing: { readonly since: number; readonly seconds: number } | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  /**
   * The best files of a query (bytes of `Q`), with their texts unless these are too many. Throws `unavailable` where the server does not answer, or not
   * for all of its shards.
   */
  async search(query: Uint8Array, { files: most, ...options }: SearchOptions): Promise<Candidates> {
    const ask = (wantsTexts: boolean): Promise<Uint8Array[]> => {
      const request = searchRequest(query, { most, wantsTexts, seconds: options.seconds });
      return this.#call('StreamSearch', request, { ...options, mostBytes: wantsTexts ? mostWithTexts : mostBytes });
    };
    const answer = await ask(most !== Infinity).catch((error: unknown) => {
      if (most !== Infinity && isSextantError(error) && error.code === 'too_large') return ask(false);
      throw error;
    });
    const files: Candidate[] = [];
    const stats = { crashes: 0, files: 0, skipped: 0 };
    for (const bytes of answer)
      readFields(bytes, (reader, number) => number === 6 && readChunk(reader.bytes(), files, stats));
    if (stats.crashes > 0) throw unavailable('a part of its index could not be searched');
    return {
      files: files.slice(0, most),
      isCut: stats.files > files.length || files.length > most || stats.skipped > 0,
    };
  }

  /** Whether it has answered before, and now fails for as long as a call may take. */
  get isSilent(): boolean {
    if (!this.#hasAnswered || !this.#failing) return false;
    return performance.now() - this.#failing.since > this.#failing.seconds * 1000;
  }

  /** The repositories of a query (bytes of `Q`). */
  async list(query: Uint8Array, options: CallOptions): Promise<Listed> {
    const request = new BinaryWriter();
    request.uint32(10).bytes(query);
    request.uint32(18).bytes(Uint8Array.of(1 << 3, 3));
    const commits = new Map<number, string>();
    let isWhole = true;
    for (const bytes of await this.#call('List', request.finish(), { ...options, mostBytes }))
      readFields(bytes, (reader, number) => {
        if (number === 3) {
          isWhole &&= Number(reader.int64()) === 0;
          return true;
        }
        if (number !== 2) return false;
        let [id, commit] = [0, ''];
        readFields(reader.bytes(), (entry, of) => {
          if (of === 1) id = entry.uint32();
          else if (of === 2)
            readFields(entry.bytes(), (info, part) => {
              if (part !== 2) return false;
              readFields(info.bytes(), (branch, which) => which === 2 && ((commit = branch.string()), true));
              return true;
            });
          else return false;
          return true;
        });
        commits.set(id, commit);
        return true;
      });
    return { commits, isWhole };
  }

  close(): void {
    this.#session?.destroy();
  }

  #open(): ClientHttp2Session {
    if (this.#session && !this.#session.closed && !this.#session.destroyed) return this.#session;
    const session = connect(this.#url, { settings: { initialWindowSize: 16 << 20 } });
    // Each call learns of it by itself.
    session.on('error', () => undefined);
    session.on('connect', () => {
      // The event comes a tick later: it may have been closed since.
      if (!session.destroyed) session.setLocalWindowSize(64 << 20);
    });
    session.unref();
    this.#session = session;
    return session;
  }

  /** The messages of an answer. */
  #call(
    method: string,
    request: Uint8Array,
    { seconds, signal, mostBytes: most }: CallOptions & { readonly mostBytes: number },
  ): Promise<Uint8Array[]> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array[]>();
    const session = this.#open();
    const stream = session.request({
      ':method': 'POST',
      ':path': `${service}/${method}`,
      'content-type': 'application/grpc',
      te: 'trailers',
      'grpc-timeout': `${Math.ceil(seconds * 1000)}m`,
    });
    const begun = performance.now();
    const notAnswered = (reason: string): SextantError => {
      this.#failing ??= { since: begun, seconds };
      return unavailable(reason);
    };
    const parts: Buffer[] = [];
    let [bytes, status, isEnded] = [0, '', false];
    const fail = (error: unknown): void => {
      isEnded = true;
      reject(error);
      stream.close(constants.NGHTTP2_CANCEL);
    };
    const timer = setTimeout(() => fail(notAnswered('it did not answer in time')), seconds * 1000);
    const stop = (): void => fail(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    const readStatus = (headers: Record<string, unknown>): void => {
      status = String(headers['grpc-status'] ?? status);
    };
    stream.on('response', readStatus);
    stream.on('trailers', readStatus);
    stream.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes > most) fail(new SextantError('too_large', 'the search finds too much; narrow it down'));
      else parts.push(part);
    });
    // It closes, too.
    stream.on('error', () => undefined);
    stream.on('close', () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      if (isEnded) return;
      if (status === '0') {
        [this.#hasAnswered, this.#failing] = [true, undefined];
        resolve(framesIn(Buffer.concat(parts)));
      } else if (status === '') reject(notAnswered('it cannot be reached'));
      else reject(unavailable(`it answered with status ${status}`));
    });
    stream.end(Buffer.concat([lengthPrefix(request.length), request]));
    return promise;
  }
}

const unavailable = (reason: string): SextantError =>
  new SextantError('unavailable', `a search server of this machine is not there: ${reason}`, { retryAfterSeconds: 5 });

function lengthPrefix(length: number): Buffer {
  const head = Buffer.alloc(frameHead);
  head.writeUInt32BE(length, 1);
  return head;
}

function framesIn(all: Buffer): Uint8Array[] {
  const frames: Uint8Array[] = [];
  for (let at = 0; at + frameHead <= all.length; ) {
    const end = at + frameHead + all.readUInt32BE(at + 1);
    frames.push(all.subarray(at + frameHead, end));
    at = end;
  }
  return frames;
}

/** `StreamSearchRequest` of webserver.proto. */
function searchRequest(
  query: Uint8Array,
  { most, wantsTexts, seconds }: { most: number; wantsTexts: boolean; seconds: number },
): Uint8Array {
  const milliseconds = Math.floor(seconds * 1000 * shareOfTime);
  const wallTime = new BinaryWriter()
    .uint32(8)
    .int64(Math.floor(milliseconds / 1000))
    .uint32(16)
    .int32((milliseconds % 1000) * 1_000_000)
    .finish();
  const options = new BinaryWriter();
  const isEvery = most === Infinity;
  if (wantsTexts) options.uint32(2 << 3).bool(true);
  if (isEvery)
    options
      .uint32(3 << 3)
      .int64(unlimited)
      .uint32(4 << 3)
      .int64(unlimited);
  options.uint32((6 << 3) | 2).bytes(wallTime);
  // Unless it waits for all of them zoekt sends the files that it finds first, and ends.
  if (!isEvery)
    options
      .uint32((7 << 3) | 2)
      .bytes(wallTime)
      .uint32(8 << 3)
      .int64(most);
  options.uint32(10 << 3).bool(true);
  const request = new BinaryWriter().uint32(10).bytes(query).uint32(18).bytes(options.finish()).finish();
  return new BinaryWriter()
    .uint32((3 << 3) | 2)
    .bytes(request)
    .finish();
}

/** Calls `take` with each field; false: it was not read. */
function readFields(bytes: Uint8Array, take: (reader: BinaryReader, number: number) => boolean): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [number, wire] = reader.tag();
    if (!take(reader, number)) reader.skip(wire, number);
  }
}

/** `SearchResponse`. */
function readChunk(
  bytes: Uint8Array,
  files: Candidate[],
  stats: { crashes: number; files: number; skipped: number },
): boolean {
  readFields(bytes, (reader, number) => {
    if (number === 1) {
      readFields(reader.bytes(), (of, which) => {
        if (which === 3) stats.crashes += Number(of.int64());
        else if (which === 5) stats.files += Number(of.int64());
        else if (which === 9 || which === 11) stats.skipped += Number(of.int64());
        else return false;
        return true;
      });
      return true;
    }
    if (number !== 3) return false;
    const file: { -readonly [K in keyof Candidate]: Candidate[K] } = { id: 0, path: '', commit: '', text: undefined };
    readFields(reader.bytes(), (of, which) => {
      if (which === 3) file.path = of.string();
      else if (which === 8) file.id = of.uint32();
      else if (which === 10) file.text = of.bytes();
      else if (which === 15) file.commit = of.string();
      else return false;
      return true;
    });
    files.push(file);
    return true;
  });
  return true;
}
