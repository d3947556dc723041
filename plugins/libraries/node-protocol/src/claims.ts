import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { SextantError } from '@sextant/core';
import type { Caller } from '@sextant/core';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';

/** Seconds for which claims are good. A host makes them anew in half of that time. */
const goodSeconds = 60;
/** Seconds by which the clocks of two machines may differ. */
const skewSeconds = 30;
const longestClaims = 256 * 1024;
const mostKnown = 2000;

const texts = z.array(z.string());

const caller = z.object({
  user: z.object({
    id: z.number(),
    name: z.string(),
    email: z.string().optional(),
    isServiceAccount: z.boolean(),
    isSiteAdmin: z.boolean(),
  }),
  roles: texts,
  permissions: texts,
  scopes: texts,
  credential: z.string(),
});

/** `aud`, `iat` and `exp` as RFC 7519 has them. Without a caller a host speaks for itself. */
const claims = z.strictObject({
  aud: z.string(),
  iat: z.number(),
  exp: z.number(),
  caller: caller.optional(),
});

/** Who a node is asked by: a host, in the name of a caller or for itself. */
export interface Claims {
  readonly caller: Caller | undefined;
}

/** Signs who makes a call, with the private key of the hosts (Ed25519). */
export class CallerSigner {
  readonly #key: KeyObject;
  /** By what they say of whom, and to which node: each call has a `Caller` of its own. */
  readonly #known = new LRUCache<string, { text: string; until: number }>({ max: mostKnown });

  /** Throws for a key that is no private key of Ed25519. */
  constructor(pem: string) {
    this.#key = createPrivateKey(pem);
    requireEd25519(this.#key);
  }

  /** What one node is shown. Another node refuses it. */
  claimsFor(caller: Caller | undefined, node: string): string {
    const now = Date.now() / 1000;
    const said = { aud: node, ...(caller && { caller: sentCaller(caller) }) };
    const key = JSON.stringify(said);
    const made = this.#known.get(key);
    if (made && made.until > now) return made.text;
    const text = this.#signed({ ...said, iat: Math.floor(now), exp: Math.floor(now) + goodSeconds });
    this.#known.set(key, { text, until: now + goodSeconds / 2 });
    return text;
  }

  #signed(said: z.input<typeof claims>): string {
    const body = Buffer.from(JSON.stringify(said)).toString('base64url');
    return `${body}.${sign(null, Buffer.from(body), this.#key).toString('base64url')}`;
  }
}

const sentCaller = ({ user, roles, permissions, scopes, credential }: Caller): z.input<typeof caller> => ({
  user: {
    id: user.id,
    name: user.name,
    isServiceAccount: user.isServiceAccount,
    isSiteAdmin: user.isSiteAdmin,
    ...(user.email !== undefined && { email: user.email }),
  },
  roles: [...roles],
  permissions: [...permissions],
  scopes: [...scopes],
  credential,
});

/** Checks claims with the public key of the hosts. */
export class CallerVerifier {
  readonly #key: KeyObject;
  readonly #node: string;
  /** Claims whose signature was checked: a host shows the same ones for half a minute. */
  readonly #known = new LRUCache<string, Read>({ max: mostKnown });

  /** `pem` may also be the private key. Throws for one that is not of Ed25519. */
  constructor(pem: string, node: string) {
    this.#key = createPublicKey(pem);
    requireEd25519(this.#key);
    this.#node = node;
  }

  /** Throws `unauthenticated` for claims that are not signed by a host, not for this node, or not of this time. */
  verify(text: string, now = Date.now() / 1000): Claims {
    const said = this.#known.get(text) ?? this.#read(text);
    if (said.aud !== this.#node) throw refusal(`they are for the node "${said.aud}", and this is "${this.#node}"`);
    if (said.exp < now - skewSeconds || said.iat > now + skewSeconds || said.exp > said.iat + goodSeconds)
      throw refusal('they are not of this time; compare the clocks of host and node');
    return said;
  }

  #read(text: string): Read {
    const [body = '', signature = '', ...more] = text.length > longestClaims ? [] : text.split('.');
    const isSigned =
      more.length === 0 && verify(null, Buffer.from(body), this.#key, Buffer.from(signature, 'base64url'));
    if (!isSigned) throw refusal('they are not signed with the key of the hosts');
    const read = claims.safeParse(JSON.parse(Buffer.from(body, 'base64url').toString()));
    if (!read.success) throw refusal('they are of another version');
    const { caller: sent, ...said } = read.data;
    const known = { ...said, caller: sent && callerIn(sent) };
    this.#known.set(text, known);
    return known;
  }
}

type Read = Claims & Pick<z.output<typeof claims>, 'aud' | 'iat' | 'exp'>;

function callerIn({
  user: { email, ...user },
  roles,
  permissions,
  scopes,
  credential,
}: z.output<typeof caller>): Caller {
  return {
    user: { ...user, ...(email !== undefined && { email }) },
    roles: new Set(roles),
    permissions: new Set(permissions),
    scopes: new Set(scopes),
    credential,
  };
}

function requireEd25519({ asymmetricKeyType }: KeyObject): void {
  if (asymmetricKeyType !== 'ed25519')
    throw new Error(`the key must be of Ed25519 (openssl genpkey -algorithm ed25519), not of ${asymmetricKeyType}`);
}

const refusal = (why: string): SextantError =>
  new SextantError('unauthenticated', `the node does not accept the claims about the caller: ${why}`);
