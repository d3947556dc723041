import { HTTPResponse } from 'h3';

/** After so many milliseconds without an event a comment is sent, so that no proxy gives the connection up. */
const keepAliveMs = 15_000;

const eventHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  // Some proxies hold back what they do not know to be a stream.
  'x-accel-buffering': 'no',
};

/** The answer to a client that reads one JSON document. */
export const jsonReply = (body: Uint8Array<ArrayBuffer>): HTTPResponse =>
  new HTTPResponse(body, {
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  });

/**
 * The answer to a client that reads events: sent whole when nothing precedes it for a while, which is far cheaper, else
 * as a stream. Every message is one `data: ` line.
 */
export class EventReply {
  readonly response: Promise<HTTPResponse>;
  readonly #respond: (response: HTTPResponse) => void;
  readonly #timer: NodeJS.Timeout;
  #isStream = false;
  /** Undefined before the stream begins and after the client has gone. */
  #stream: ReadableStreamDefaultController<Uint8Array> | undefined;

  constructor() {
    const { promise, resolve } = Promise.withResolvers<HTTPResponse>();
    this.response = promise;
    this.#respond = resolve;
    this.#timer = setInterval(() => this.#write(Buffer.from(': still working\n\n')), keepAliveMs);
  }

  /** Sends a message before the last. */
  send(message: object): void {
    this.#write(eventOf(Buffer.from(JSON.stringify(message))));
  }

  /** Sends the last message, if there is one, and ends the answer. */
  end(message: Uint8Array | undefined): void {
    clearInterval(this.#timer);
    const event = message === undefined ? Buffer.alloc(0) : eventOf(message);
    if (!this.#isStream) return this.#respond(new HTTPResponse(event, { headers: eventHeaders }));
    this.#write(event);
    this.#stream?.close();
  }

  #write(bytes: Uint8Array): void {
    if (!this.#isStream) this.#begin();
    this.#stream?.enqueue(bytes);
  }

  #begin(): void {
    this.#isStream = true;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#stream = controller;
      },
      cancel: () => {
        this.#stream = undefined;
      },
    });
    this.#respond(new HTTPResponse(body, { headers: eventHeaders }));
  }
}

const [eventStart, eventEnd] = [Buffer.from('data: '), Buffer.from('\n\n')];

const eventOf = (json: Uint8Array): Buffer<ArrayBuffer> => Buffer.concat([eventStart, json, eventEnd]);
