import { createHmac, hash, timingSafeEqual } from 'node:crypto';

/** What is stored of a value that someone holds. It has at least 128 random bits: neither salt nor slowness adds anything. */
export const hashOf = (value: string): string => hash('sha256', value, 'base64url');

/**
 * The keys under which artifacts are stored. Where the protocol finds one by another value (a device code by the code that
 * a person typed), its own value is not known any more: it goes by a reference, which is worth nothing without the key file.
 */
export class ArtifactKeys {
  readonly #secret: string;

  constructor(secret: string) {
    this.#secret = secret;
  }

  keyOf(value: string): string {
    const [, key = '', code = ''] = /^ref\.([\w-]{43})\.([\w-]{43})$/.exec(value) ?? [];
    return key !== '' && timingSafeEqual(Buffer.from(code), Buffer.from(this.#codeOf(key))) ? key : hashOf(value);
  }

  referenceTo(key: string): string {
    return `ref.${key}.${this.#codeOf(key)}`;
  }

  #codeOf(key: string): string {
    return createHmac('sha256', this.#secret).update(key).digest('base64url');
  }
}
