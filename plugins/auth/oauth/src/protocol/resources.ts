/** The MCP endpoints as resources (RFC 8707): each is named by its URL, and all of them by that of the server. */
export class Resources {
  readonly #paths: ReadonlyMap<string, string>;
  readonly #externalURL: string;

  constructor(externalURL: string, endpoints: readonly string[]) {
    this.#externalURL = externalURL;
    this.#paths = new Map(endpoints.map((path) => [externalURL + path, path]));
  }

  /** All endpoints at once: what a client gets that names no resource. */
  get everywhere(): string {
    return this.#externalURL;
  }

  of(path: string): string {
    return this.#externalURL + path;
  }

  isEndpoint(resource: string): boolean {
    return this.#paths.has(resource);
  }

  /** Whether a token can be asked for it. */
  has(resource: string): boolean {
    return resource === this.everywhere || this.isEndpoint(resource);
  }

  get all(): readonly string[] {
    return [...this.#paths.keys()];
  }
}
