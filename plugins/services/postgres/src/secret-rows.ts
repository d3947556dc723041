import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { SextantError } from '@sextant/core';
import type { Secrets } from '@sextant/contracts';
import type { DirectConnection } from './direct-connection.ts';

const [ivBytes, tagBytes] = [12, 16];

/** Secrets as rows, encrypted (AES-256-GCM) with a key that only the hosts have. */
export class SecretRows implements Secrets {
  readonly #connection: Pick<DirectConnection, 'query'>;
  readonly #key: Buffer;

  constructor(connection: Pick<DirectConnection, 'query'>, secretKey: string) {
    this.#connection = connection;
    this.#key = Buffer.from(hkdfSync('sha256', secretKey, '', 'sextant secrets', 32));
  }

  async readOrMake(name: string, make: () => string): Promise<string> {
    const present = await this.#read(name);
    if (present !== undefined) return present;
    const values = [name, this.#encrypted(name, make())];
    await this.#connection.query({
      text: 'insert into database_secret values ($1, $2) on conflict do nothing',
      values,
    });
    const made = await this.#read(name);
    if (made === undefined) throw new Error(`the secret "${name}" was removed while it was made`);
    return made;
  }

  async replace(name: string, secret: string): Promise<void> {
    const text = `insert into database_secret values ($1, $2)
      on conflict (name) do update set encrypted = excluded.encrypted`;
    await this.#connection.query({ text, values: [name, this.#encrypted(name, secret)] });
  }

  async #read(name: string): Promise<string | undefined> {
    const text = 'select encrypted from database_secret where name = $1';
    const { rows } = await this.#connection.query<{ encrypted: Buffer }>({ text, values: [name] });
    return rows[0] && this.#decrypted(name, rows[0].encrypted);
  }

  #encrypted(name: string, secret: string): Buffer {
    const iv = randomBytes(ivBytes);
    const cipher = createCipheriv('aes-256-gcm', this.#key, iv).setAAD(Buffer.from(name));
    const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), text]);
  }

  #decrypted(name: string, encrypted: Buffer): string {
    const iv = encrypted.subarray(0, ivBytes);
    const decipher = createDecipheriv('aes-256-gcm', this.#key, iv).setAAD(Buffer.from(name));
    decipher.setAuthTag(encrypted.subarray(ivBytes, ivBytes + tagBytes));
    try {
      return decipher.update(encrypted.subarray(ivBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8');
    } catch (error) {
      throw new SextantError(
        'unavailable',
        `the secret "${name}" of the database cannot be decrypted: "secretKey" of the plugin service-postgres is not the one that it was written with; give every host the same`,
        { cause: error },
      );
    }
  }
}
