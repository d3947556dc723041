import type { Audit, AuditEvent, Directory } from '@sextant/contracts';
import type { KoaContextWithOIDC, Provider, errors } from 'oidc-provider';

type Context = KoaContextWithOIDC;
type Refused = errors.OIDCProviderError;

/** A device that asks whether its person is done yet is no failure (RFC 8628 section 3.5). */
const waiting = /^(authorization_pending|slow_down)$/;
/** Said on the consent page, and recorded there with who said it. */
const said = /^access_denied$/;

export interface ProtocolRecordOptions {
  audit: Audit;
  directory: Directory;
}

/** Records what the library of the protocol grants and refuses. */
export function recordProtocol(provider: Provider, options: ProtocolRecordOptions): void {
  const refuse =
    (action: string) =>
    (context: Context, { error, error_description: description = '' }: Refused): void => {
      if (waiting.test(error) || (action === 'authorization.refused' && said.test(error))) return;
      void record(context, options, {
        action,
        outcome: 'failure',
        detail: [...grantTypeOf(context), error, description].join(': '),
      });
    };
  provider.on('authorization.error', refuse('authorization.refused'));
  provider.on('grant.error', refuse('token.refused'));
  provider.on('introspection.error', refuse('token.refused'));
  provider.on('revocation.error', refuse('token.refused'));
  provider.on('grant.success', (context) => {
    void record(context, options, {
      action: 'token.issued',
      outcome: 'success',
      detail: grantTypeOf(context).join(''),
    });
  });
  provider.on('grant.revoked', (context) => {
    // By the client it is told of below.
    if (context.oidc.route === 'token')
      void record(context, options, {
        action: 'authorization.revoked',
        outcome: 'success',
        detail: 'a code or refresh token was used twice',
      });
  });
  provider.use(async (context: Context, next: () => Promise<unknown>) => {
    await next();
    if (!isRouted(context)) return;
    const { client, entities, route } = context.oidc;
    const token = entities.AccessToken ?? entities.RefreshToken;
    if (route !== 'revocation' || !token || token.clientId !== client?.clientId) return;
    await record(context, options, { action: 'token.revoked', outcome: 'success', detail: 'by its client' });
  });
}

/** Whether the library knows the path: it has a context of its own for no other. */
export const isRouted = (context: { oidc?: object }): boolean => context.oidc !== undefined;

async function record(
  { oidc, ip }: Context,
  { audit, directory }: ProtocolRecordOptions,
  event: Pick<AuditEvent, 'action' | 'outcome' | 'detail'>,
): Promise<void> {
  const { entities, client, params } = oidc;
  const { AccessToken, RefreshToken, AuthorizationCode, DeviceCode } = entities;
  const accountId = (AccessToken ?? RefreshToken ?? AuthorizationCode ?? DeviceCode)?.accountId;
  const actor =
    accountId === undefined ? undefined : await actorOf(directory, Number(accountId)).catch(() => undefined);
  const named = client?.clientId ?? params?.['client_id'];
  audit.record({
    ...event,
    ...(actor && { actor }),
    ...(typeof named === 'string' && { client: named }),
    ...(ip !== '' && { address: ip }),
  });
}

async function actorOf(directory: Directory, userId: number): Promise<AuditEvent['actor']> {
  const caller = await directory.callerFor({ userId, scopes: [], credential: 'oauth' });
  return caller && { id: caller.user.id, name: caller.user.name };
}

function grantTypeOf({ oidc }: Context): string[] {
  const type = oidc.params?.['grant_type'];
  return typeof type === 'string' ? [type.replace(/^.*:/, '').slice(0, 40)] : [];
}
