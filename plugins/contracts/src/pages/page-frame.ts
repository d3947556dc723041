import type { Call, NavigationLink } from '@sextant/core';
import type { Sessions } from '../people/sessions.ts';

/** What stands around the content of every page. */
export interface PageFrame {
  /** Of this page, to mark its link. */
  readonly path: string;
  /** Without the pages below another one. */
  readonly navigation: readonly NavigationLink[];
  /** Where the page belongs to a page with others below it: that one first, then those. */
  readonly section?: readonly NavigationLink[];
  /** The signed-in caller. With a session there is a token, and every form that changes something carries it. */
  readonly person?: { readonly name: string; readonly csrfToken?: string };
  /** The address to sign in and come back. */
  readonly signInPath?: string;
}

/** Whether nobody showed who they are: such a caller sees only pages that are for anyone. */
export const isAnonymous = ({ caller }: Call): boolean => caller.user.id === 0;

/** The frame of a page for who looks at it. Without sessions nobody can sign in, and tokens still open pages. */
export async function pageFrame(request: Request, call: Call, sessions: Sessions | undefined): Promise<PageFrame> {
  const around = { path: call.endpoint, ...divided(call.navigation ?? [], call.endpoint) };
  if (isAnonymous(call))
    return { ...around, ...((sessions?.ways().length ?? 0) > 0 && { signInPath: signIn(request) }) };
  const session = await sessions?.find(request.headers);
  return { ...around, person: { name: call.caller.user.name, ...(session && { csrfToken: session.csrfToken }) } };
}

/** A page below another one stands in the navigation of that one, not in that of all pages. */
function divided(links: readonly NavigationLink[], path: string): Pick<PageFrame, 'navigation' | 'section'> {
  const navigation = links.filter((link) => !links.some((other) => isBelow(link.path, other.path)));
  const root = navigation.find((link) => link.path === path || isBelow(path, link.path));
  const below = root ? links.filter((link) => isBelow(link.path, root.path)) : [];
  return { navigation, ...(root && below.length > 0 && { section: [root, ...below] }) };
}

const isBelow = (path: string, other: string): boolean => other !== '/' && path.startsWith(`${other}/`);

function signIn({ url }: Request): string {
  const { pathname, search } = new URL(url);
  return pathname === '/' ? '/sign-in' : `/sign-in?return=${encodeURIComponent(pathname + search)}`;
}
