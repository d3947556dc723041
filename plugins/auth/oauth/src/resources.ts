import { builtInEndpoints } from '@sextant/core';

/** The MCP endpoints as resources (RFC 8707): each is named by its URL, and a token is good for one. */
export class Resources {
  readonly #paths: ReadonlyMap<string, string>;
  readonly #externalURL: string;

  constructor(externalURL: string, endpoints: readonly string[]) {
    this.#externalURL = externalURL;
    this.#paths = new Map(endpoints.map((path) => [externalURL + path, path]));
  }

  /** What a client gets that names no resource. */
  get default(): string {
    return this.of(builtInEndpoints.default);
  }

  of(path: string): string {
    return this.#externalURL + path;
  }

  has(resource: string): boolean {
    return this.#paths.has(resource);
  }

  get all(): readonly string[] {
    return [...this.#paths.keys()];
  }
}
