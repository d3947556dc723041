import { z } from 'zod';
import { isAllowedToRegister, registrationRule } from './redirect-uri.ts';
import { shownLine } from '../shown-line.ts';

const webAddress = z.url({ protocol: /^https$/ }).max(2048);

/** Who may register themselves. */
export interface RegistrationRules {
  readonly isEnabled: boolean;
  /** Schemes without a dot to which codes may be sent. */
  readonly redirectSchemes: readonly string[];
}

/** Whether a client that nobody checked may have codes sent there. */
export const mayRegister = (
  redirectUris: readonly string[],
  { isEnabled, redirectSchemes }: RegistrationRules,
): boolean => isEnabled && redirectUris.every((uri) => isAllowedToRegister(uri, redirectSchemes));

/** What a client may say of itself; anything else is left out. */
const said = z.object({
  client_name: shownLine.optional(),
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

const mostCharacters = 64 * 1024;
const tooLong: RegistrationError = {
  error: 'invalid_client_metadata',
  error_description: `the metadata of a client has ${mostCharacters} characters at most`,
};

/** The registration as it is carried out: of the scope `mcp`, by the rules for native applications. */
export function registrationOf(
  body: string,
  { redirectSchemes }: RegistrationRules,
): { accepted: string; name: string } | { refused: RegistrationError } {
  // Before it is parsed: anyone may send one.
  if (body.length > mostCharacters) return { refused: tooLong };
  const metadata = said.safeParse(parseJson(body));
  if (!metadata.success) return { refused: refusal(metadata.error) };
  const foreign = metadata.data.redirect_uris?.find((uri) => !isAllowedToRegister(uri, redirectSchemes));
  if (foreign !== undefined)
    return {
      refused: {
        error: 'invalid_redirect_uri',
        error_description: `redirect_uris must each be ${registrationRule(redirectSchemes)}`,
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
