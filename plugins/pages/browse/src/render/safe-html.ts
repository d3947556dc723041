import sanitizeHtml from 'sanitize-html';
import type { Attributes, Tag } from 'sanitize-html';
import type { ShownFile } from '../views/blob.ts';
import { prefix, resolveLink } from './links.ts';

const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];
const blocks = ['p', 'div', 'ul', 'ol', 'li', 'dl', 'dt', 'dd', 'blockquote', 'pre', 'hr', 'br', 'details', 'summary'];
const words = [
  'a',
  'b',
  'strong',
  'i',
  'em',
  's',
  'del',
  'ins',
  'u',
  'mark',
  'small',
  'sub',
  'sup',
  'q',
  'cite',
  'abbr',
];
const codes = ['code', 'kbd', 'samp', 'var', 'tt', 'span'];
const tables = ['table', 'caption', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td'];

/** Colours of code, kinds of remarks, and images of other hosts. */
const classes = {
  span: ['k', 's', 'c', 'f', 't', 'n', 'v', 'cut', 'outside-image'],
  a: ['outside-image'],
  blockquote: ['remark', 'note', 'tip', 'important', 'warning', 'caution'],
};

/**
 * The markup of a document with nothing that acts, looks like another part of the page or loads something from elsewhere. Links
 * and images lead to the files that they mean in the repository.
 */
export function safeHtml(markup: string, shown: ShownFile): string {
  let openLinks = 0;
  const limit = (name: string, by: 1 | -1): void => {
    if (name === 'a') openLinks += by;
  };
  return sanitizeHtml(markup, {
    allowedTags: [...headings, ...blocks, ...words, ...codes, ...tables, 'img', 'figure', 'figcaption'],
    allowedAttributes: {
      '*': ['id', 'align', 'title'],
      a: ['href', 'rel'],
      img: ['src', 'alt', 'width', 'height'],
      th: ['colspan', 'rowspan'],
      td: ['colspan', 'rowspan'],
      ol: ['start'],
      pre: ['tabindex'],
      details: ['open'],
    },
    allowedClasses: classes,
    // Addresses are made by `resolveLink`, which knows these two alone.
    allowedSchemes: ['http', 'https', 'mailto'],
    allowProtocolRelative: false,
    nestingLimit: 100,
    onOpenTag: (name) => limit(name, 1),
    onCloseTag: (name) => limit(name, -1),
    transformTags: {
      '*': withOwnId,
      a: (tagName, attributes) => ({ tagName, attribs: linked(attributes, shown) }),
      img: (_, attributes) => imageFor(attributes, shown, openLinks > 0),
    },
  });
}

/** Markdown gives headings names that begin so; what HTML in documents names gets the prefix here. */
const withOwnId = (tagName: string, attribs: Attributes): Tag => ({
  tagName,
  attribs: { ...attribs, ...ownId(attribs) },
});

const ownId = ({ id, name = id }: Attributes): Attributes =>
  name === undefined ? {} : { id: name.startsWith(prefix) ? name : prefix + name };

function linked({ href, ...attributes }: Attributes, shown: ShownFile): Attributes {
  if (href === undefined) return attributes;
  const to = resolveLink(shown, href, 'blob');
  return {
    ...attributes,
    href: to.href,
    ...(to.isOutside && { rel: 'noopener noreferrer nofollow' }),
  };
}

/** Nothing is loaded from other hosts: an image that stands there becomes a link to it, or its text where it is one already. */
function imageFor({ src = '', alt, ...size }: Attributes, shown: ShownFile, isInLink: boolean): Tag {
  const { href, isOutside } = resolveLink(shown, src, 'raw');
  if (!isOutside) return { tagName: 'img', attribs: { ...size, src: href, alt: alt ?? (isInLink ? src : '') } };
  const text = alt?.trim() || 'image';
  return isInLink
    ? { tagName: 'span', attribs: { class: 'outside-image' }, text }
    : { tagName: 'a', attribs: { class: 'outside-image', href, rel: 'noopener noreferrer nofollow' }, text };
}
