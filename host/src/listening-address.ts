import { once } from 'node:events';
import { createServer } from 'node:net';
import { SextantError, messageOf } from '@sextant/core';
import { codeOf } from './data-folder.ts';

export interface Address {
  host: string;
  /** 0: any free one. */
  port: number;
}

/**
 * The address to listen on, tried out before anything is started: plugins learn the URL when they start, and a port in
 * use is told at once. Throws `conflict` or `unavailable` that says what to do.
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

/** Why nothing can listen there, and what to do. */
export function addressError({ host, port }: Address, error: unknown): SextantError {
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return new SextantError(
        'conflict',
        `port ${port} of ${host} is in use; stop what listens there, or choose another with --port`,
        { cause: error },
      );
    case 'EACCES':
      return new SextantError(
        'forbidden',
        `no permission to listen on port ${port}; choose one above 1023 with --port`,
        { cause: error },
      );
    default:
      return new SextantError(
        'unavailable',
        `cannot listen on ${host}, port ${port}: ${messageOf(error)}; choose another address with --host`,
        { cause: error },
      );
  }
}

/** Where a browser on this machine reaches the address. */
export function urlOf({ host, port }: Address): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${bracketed(name)}:${port}`;
}

/** An address as a URL has it. */
export const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);
