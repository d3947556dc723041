import { createHmac, timingSafeEqual } from 'node:crypto';
import { Principals, defineAuthenticator, definePlugin, thisPlugin } from '@sextant/core';
import { z } from 'zod';

// Below its name in the configuration: `trusted: true, secret: "${env:PROXY_SECRET}"`
const config = z.object({ secret: z.string().min(32), maxAgeSeconds: z.int().min(1).default(60) });

/** `X-Proxy-User: alice 1767225600 <HMAC-SHA-256 of "alice 1767225600" in hex>`, as a proxy signs it that knows who one is. */
const signedHeader = defineAuthenticator({
  name: 'signed-header',
  needs: { plugin: thisPlugin(config), principals: Principals },
  // Undefined for what is not good: another authenticator may know it.
  async authenticate({ headers }, { plugin, principals }) {
    const form = /^(\S+) (\d+) ([0-9a-f]{64})$/.exec(headers.get('x-proxy-user') ?? '');
    if (!form) return undefined;
    const [, name = '', seconds = '', signature = ''] = form;
    const expected = createHmac('sha256', plugin.settings.secret).update(`${name} ${seconds}`).digest();
    if (!timingSafeEqual(expected, Buffer.from(signature, 'hex'))) return undefined;
    if (Math.abs(Date.now() / 1000 - Number(seconds)) > plugin.settings.maxAgeSeconds) return undefined;
    return principals.named(name);
  },
});

export default definePlugin({ name: 'auth-signed-header', config, authenticators: [signedHeader] });
