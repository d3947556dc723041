import { once } from 'node:events';
import { createServer } from 'node:net';
import { SextantError, messageOf } from '@sextant/core';
import { codeOf } from '../../server/data-folder.ts';

export interface Address {
  host: string;
  /** 0: any free one. */
  port: number;
}

/** What names an address: flags or keys of the configuration. */
export interface AddressSettings {
  readonly host: string;
  readonly port: string;
}

/**
 * The address to listen on. It is tried before anything starts, because plugins learn the URL when they start, and a
 * port in use is reported at once. Throws `conflict` or `unavailable`, with what to do.
 */
export async function tryAddress({ host, port }: Address): Promise<Address> {
  const server = createServer().listen({ host, port });
  await once(server, 'listening').catch((error: unknown) => {
    throw addressError({ host, port }, error);
  });
  const bound = server.address();
  server.close();
  await once(server, 'close');
  return { host, port: bound !== null && typeof bound === 'object' ? bound.port : port };
}

const flags: AddressSettings = { host: '--host', port: '--port' };

/** Why nothing can listen there, and what to do. */
export function addressError({ host, port }: Address, error: unknown, settings: AddressSettings = flags): SextantError {
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return new SextantError(
        'conflict',
        `port ${port} of ${host} is in use; stop what listens there, or choose another with ${settings.port}`,
        { cause: error },
      );
    case 'EACCES':
      return new SextantError(
        'forbidden',
        `no permission to listen on port ${port}; choose one above 1023 with ${settings.port}`,
        { cause: error },
      );
    default:
      return new SextantError(
        'unavailable',
        `cannot listen on ${host}, port ${port}: ${messageOf(error)}; choose another address with ${settings.host}`,
        { cause: error },
      );
  }
}

/** Where a browser on this machine reaches the address. */
export function urlOf({ host, port }: Address, isSecure: boolean): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `${isSecure ? 'https' : 'http'}://${bracketed(name)}:${port}`;
}

/** An address as a URL has it. */
export const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);

const addressForm = /^(?:\[([0-9a-f:.]+)\]|([\w.-]+)):(\d{1,5})$/i;

/** `127.0.0.1:9464` or `[::1]:9464`. */
export const isAddress = (text: string): boolean => Number(addressForm.exec(text)?.[3] ?? Infinity) <= 65_535;

/** The parts of a text for which `isAddress` holds. */
export function addressIn(text: string): Address {
  const [, inBrackets, plain = '', port] = addressForm.exec(text) ?? [];
  return { host: inBrackets ?? plain, port: Number(port) };
}
