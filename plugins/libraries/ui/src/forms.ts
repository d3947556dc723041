import type { VNode } from 'preact';
import { html } from './components.ts';
import type { Content } from './components.ts';

/** The field of every form that `Sessions.readForm` checks. */
export const csrfField = 'csrf';

export interface PostForm {
  action: string;
  csrfToken: string;
  body: Content;
  /** Whether the form is in a line of other content, such as a button in a table. */
  isInline?: boolean;
  /** Hidden values. */
  hidden?: Readonly<Record<string, string>>;
}

/** A form that changes something. */
export const postForm = ({ action, csrfToken, body, isInline = false, hidden = {} }: PostForm): VNode =>
  html`<form method="post" action=${action} class=${isInline ? 'inline' : 'stack'}>
    ${Object.entries({ ...hidden, [csrfField]: csrfToken }).map(
      ([name, value]) => html`<input type="hidden" name=${name} value=${value} />`,
    )}
    ${body}
  </form>`;

export interface Field {
  label: string;
  /** Unique on the page. */
  name: string;
  type?: 'text' | 'password' | 'email' | 'search' | 'date' | 'url' | 'number';
  value?: string;
  /** One sentence below it. */
  hint?: string;
  /** What is wrong with the value. */
  mistake?: string;
  autocomplete?: string;
  isRequired?: boolean;
  hasFocus?: boolean;
  maxLength?: number;
  /** Values that the browser offers while someone types. */
  offers?: readonly string[];
}

export function field({ label, name, type = 'text', hint, mistake, ...rest }: Field): VNode {
  const id = `field-${name}`;
  const notes = [hint && `${id}-hint`, mistake && `${id}-mistake`].filter(Boolean).join(' ');
  return html`<div class="field">
    <label for=${id}>${label}</label>
    <input
      id=${id}
      name=${name}
      type=${type}
      value=${rest.value}
      autocomplete=${rest.autocomplete}
      maxlength=${rest.maxLength}
      required=${rest.isRequired}
      autofocus=${rest.hasFocus}
      autocapitalize="none"
      spellcheck=${false}
      aria-invalid=${mistake === undefined ? undefined : 'true'}
      aria-describedby=${notes || undefined}
      list=${rest.offers && `${id}-offers`}
    />
    ${rest.offers && html`<datalist id=${`${id}-offers`}>${rest.offers.map((one) => html`<option value=${one}></option>`)}</datalist>`}
    ${hint && html`<small id=${`${id}-hint`}>${hint}</small>`}
    ${mistake && html`<small id=${`${id}-mistake`} class="mistake">${mistake}</small>`}
  </div>`;
}

export interface Select {
  label: string;
  /** Unique on the page. */
  name: string;
  /** From a value to its text, in order. */
  options: Readonly<Record<string, string>>;
  value?: string;
  /** Whether a change sends the form. The form still needs a button, for browsers without JavaScript. */
  isSubmitting?: boolean;
}

export function select({ label, name, options, value, isSubmitting }: Select): VNode {
  const id = `field-${name}`;
  return html`<div class="field">
    <label for=${id}>${label}</label>
    <select id=${id} name=${name} data-submits=${isSubmitting}>
      ${Object.entries(options).map(
        ([option, text]) => html`<option value=${option} selected=${option === value}>${text}</option>`,
      )}
    </select>
  </div>`;
}

export interface Choice {
  type: 'checkbox' | 'radio';
  label: string;
  name: string;
  value: string;
  hint?: string;
  isChecked?: boolean;
}

export const choice = ({ type, label, name, value, hint, isChecked }: Choice): VNode =>
  html`<label class="choice">
    <input type=${type} name=${name} value=${value} checked=${isChecked} />
    <span>${label}${hint && html`<small>${hint}</small>`}</span>
  </label>`;

export type ButtonKind = 'primary' | 'plain' | 'danger';

export interface ButtonOptions {
  kind?: ButtonKind;
  isSmall?: boolean;
  isWide?: boolean;
  /** Sent with the form, so a form can have several buttons. */
  name?: string;
  value?: string;
  /** For screen readers, with the object of the action: `Revoke laptop`. */
  label?: string;
}

/** A button that sends its form. */
export const button = (text: string, options: ButtonOptions = {}): VNode =>
  html`<button
    class=${classOf(options)}
    type="submit"
    name=${options.name}
    value=${options.value}
    aria-label=${options.label}
  >${text}</button>`;

/** A link that looks like a button. */
export const linkButton = (text: string, href: string, options: ButtonOptions = {}): VNode =>
  html`<a class=${classOf(options)} href=${href} aria-label=${options.label}>${text}</a>`;

const classOf = ({ kind = 'primary', isSmall, isWide }: ButtonOptions): string =>
  ['button', kind, isSmall && 'small', isWide && 'wide'].filter(Boolean).join(' ');
