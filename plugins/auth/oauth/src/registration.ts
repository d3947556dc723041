import { z } from 'zod';
import { isAllowedRedirect, redirectRule } from './redirect-uri.ts';

const line = z
  .string()
  .max(100)
  .regex(/^\P{C}*$/u);
const webAddress = z.url({ protocol: /^https$/ }).max(2048);

/** What a client may say of itself; anything else is left out. */
const said = z.object({
  client_name: line.min(1).optional(),
  client_uri: webAddress.optional(),
  logo_uri: webAddress.optional(),
  policy_uri: webAddress.optional(),
  tos_uri: webAddress.optional(),
  redirect_uris: z.array(z.string()).max(20).optional(),
  grant_types: z.array(z.string()).max(10).optional(),
  response_types: z.array(z.string()).max(10).optional(),
  token_endpoint_auth_method: z.string().max(100).optional(),
});

/** The answer to a registration that cannot be (RFC 7591 section 3.2.2). */
export interface RegistrationError {
  readonly error: 'invalid_redirect_uri' | 'invalid_client_metadata' | 'invalid_request';
  readonly error_description: string;
}

/** The registration as it is carried out: of the scope `mcp`, by the rules for native applications. */
export function registrationOf(body: string): { accepted: string; name: string } | { refused: RegistrationError } {
  const metadata = said.safeParse(parseJson(body));
  if (!metadata.success) return { refused: refusal(metadata.error) };
  const foreign = metadata.data.redirect_uris?.find((uri) => !isAllowedRedirect(uri));
  if (foreign !== undefined)
    return {
      refused: {
        error: 'invalid_redirect_uri',
        error_description: `redirect_uris must each be ${redirectRule}`,
      },
    };
  const accepted = JSON.stringify({ ...metadata.data, scope: 'mcp', application_type: 'native' });
  return { accepted, name: metadata.data.client_name ?? '' };
}

function refusal({ issues }: z.ZodError): RegistrationError {
  const [issue] = issues;
  const place = issue?.path.join('.') ?? '';
  if (place === '') return { error: 'invalid_request', error_description: 'the body must be a JSON object' };
  return { error: 'invalid_client_metadata', error_description: `${place}: ${issue?.message ?? 'is not valid'}` };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
