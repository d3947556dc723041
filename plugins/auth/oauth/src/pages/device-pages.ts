import { button, field, html, htmlResponse, notice } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import type { Client, KoaContextWithOIDC } from 'oidc-provider';
import { paths } from '../paths.ts';

/** The pages of the device flow (RFC 8628 section 3.3): type in the code, compare it, done. */
export const devicePages = {
  userCodeInputSource(ctx: KoaContextWithOIDC, ...[, out, problem]: InputArguments): Promise<void> {
    if (problem && ctx.oidc.session?.exp === undefined)
      return show(ctx, 'Connect a device', [
        notice('danger', 'This form is over: it was opened long ago or in another browser, or cookies are blocked.'),
        html`<p><a href=${paths.device}>Open it again</a> and type in the code that your device shows.</p>`,
      ]);
    const hint = typeof ctx.query['hint'] === 'string' ? ctx.query['hint'].slice(0, 20) : '';
    const code = field({
      label: 'Code',
      name: 'user_code',
      value: hint,
      autocomplete: 'off',
      isRequired: true,
      hasFocus: true,
    });
    return show(ctx, 'Connect a device', [
      out || problem ? notice('danger', explained(problem)) : undefined,
      html`<p>Type in the code that your device shows.</p>`,
      deviceForm(ctx, html`${code}${button('Continue')}`),
    ]);
  },
  userCodeConfirmSource(ctx: KoaContextWithOIDC, ...[, client, , userCode]: ConfirmArguments): Promise<void> {
    const name = client.clientName ?? client.clientId;
    const choices = [
      html`<input type="hidden" name="user_code" value=${userCode} />`,
      button('Yes, continue', { name: 'confirm', value: 'yes' }),
      button('No, stop', { kind: 'plain', name: 'abort', value: 'yes' }),
    ];
    return show(ctx, 'Is this your device?', [
      html`<p>${name} asks to be connected. Go on only if you started this yourself and your device shows exactly this code:</p>`,
      html`<p><strong>${userCode}</strong></p>`,
      deviceForm(ctx, choices),
    ]);
  },
  successSource: (ctx: KoaContextWithOIDC): Promise<void> =>
    show(ctx, 'Your device is connected', html`<p>You can close this page.</p>`),
};

type InputArguments = [form: string, out?: object, problem?: Error];
type ConfirmArguments = [form: string, client: Client, device: object, userCode: string];

interface ErrorShown {
  error: string;
  error_description?: string | undefined;
}

/** What a person is told instead of what the protocol says to a client. */
export const renderError = (
  ctx: KoaContextWithOIDC,
  { error, error_description: description }: ErrorShown,
): Promise<void> =>
  show(ctx, 'This did not work', [
    notice('danger', `${description ?? 'Something went wrong.'} (${error})`),
    html`<p>Go back to your client and connect again.</p>`,
  ]);

function explained(problem: Error | undefined): string {
  const message = problem?.message ?? '';
  if (/not found|expired|used/.test(message))
    return 'That code is unknown, used or expired. Start again on your device.';
  return /aborted/.test(message) ? 'The device was not connected.' : 'That did not work. Try again.';
}

/** A form of the library's own, with the code of its own that ties it to the browser that was shown it. */
function deviceForm({ oidc }: KoaContextWithOIDC, body: Content): Content {
  return html`<form method="post" action=${paths.device} class="card stack">
    <input type="hidden" name="xsrf" value=${oidc.session?.state?.['secret']} />
    ${body}
  </form>`;
}

async function show(ctx: KoaContextWithOIDC, title: string, body: Content): Promise<void> {
  const page = htmlResponse({ title, body: html`<h1>${title}</h1>${body}`, isNarrow: true });
  ctx.set(Object.fromEntries(page.headers));
  ctx.body = await page.text();
}
