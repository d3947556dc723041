import { z } from 'zod';
import { shownLine } from './shown-line.ts';
import { isAllowedRedirect, isApplicationScheme, redirectRule } from './clients/redirect-uri.ts';

export const namedClient = z.strictObject({
  clientId: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._~-]{0,99}$/, 'must be 1–100 letters, digits, `.`, `_`, `~`, `-`')
    .describe('What the client calls itself in requests'),
  name: shownLine.describe('Shown to people who are asked for consent'),
  redirectUris: z
    .array(z.string().refine(isAllowedRedirect, `must be ${redirectRule}`))
    .max(20)
    .default([])
    .describe('Where codes may be sent; loopback addresses match any port. None: the device flow only'),
  secret: z
    .string()
    .min(16)
    .max(512)
    .describe('Makes the client confidential; write a reference such as ${env:NAME}')
    .optional(),
});

/** A client of the configuration, or one that an operator named. */
export type NamedClient = z.output<typeof namedClient>;

/** The keys of the configuration that this plugin reads. */
export const oauthConfig = z.object({
  oauthClients: z
    .array(namedClient)
    .refine((clients) => new Set(clients.map(({ clientId }) => clientId)).size === clients.length, {
      error: 'names a clientId twice',
    })
    .default([])
    .describe('OAuth clients that need not register themselves'),
  redirectSchemes: z
    .array(
      z
        .string()
        .max(100)
        .refine(isApplicationScheme, 'must be a scheme of an application, in lower case and without its colon'),
    )
    .default(['claude', 'cursor', 'vscode', 'vscode-insiders', 'warp', 'windsurf'])
    .describe('Schemes without a dot to which clients that register themselves may have codes sent'),
});
