/** Clients that are remembered; the least recently seen are forgotten. */
const maxClients = 10_000;
const maxNameLength = 100;

/** Which program sent a request, as far as it shows. */
export interface Sender {
  credential: string;
  userAgent: string | null;
}

/** The names that clients gave when they introduced themselves, for the requests that follow without one. */
export class ClientNames {
  readonly #names = new Map<string, string>();

  remember(sender: Sender, name: string): void {
    const key = keyOf(sender);
    this.#names.delete(key);
    this.#names.set(key, name.slice(0, maxNameLength));
    const [oldest] = this.#names.keys();
    if (this.#names.size > maxClients && oldest !== undefined) this.#names.delete(oldest);
  }

  /** The name that was given, else the product that the user agent begins with (RFC 9110 section 10.1.5). */
  of(sender: Sender): string | undefined {
    const key = keyOf(sender);
    const name = this.#names.get(key);
    if (name === undefined) return productOf(sender.userAgent);
    this.#names.delete(key);
    this.#names.set(key, name);
    return name;
  }
}

const keyOf = ({ credential, userAgent }: Sender): string => `${credential}\n${userAgent?.slice(0, 300)}`;

const productOf = (userAgent: string | null): string | undefined =>
  /^[^\s/()]+/.exec(userAgent ?? '')?.[0].slice(0, maxNameLength);
