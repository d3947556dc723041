import type { Call, NavigationLink } from '@sextant/core';
import type { Sessions } from './sessions.ts';

/** What stands around the content of every page. */
export interface PageFrame {
  /** Of this page, to mark its link. */
  readonly path: string;
  readonly navigation: readonly NavigationLink[];
  /** Who looks at it; the token is there where a session is, and every form that changes something carries it. */
  readonly person?: { readonly name: string; readonly csrfToken?: string };
  /** Where someone who is not signed in does that, and comes back. */
  readonly signInPath?: string;
}

/** Whether nobody showed who they are: such a caller sees only pages that are for anyone. */
export const isAnonymous = ({ caller }: Call): boolean => caller.user.id === 0;

/** The frame of a page for who looks at it. Without sessions nobody can sign in, and tokens still open pages. */
export async function pageFrame(request: Request, call: Call, sessions: Sessions | undefined): Promise<PageFrame> {
  const around = { path: call.endpoint, navigation: call.navigation ?? [] };
  if (isAnonymous(call))
    return { ...around, ...((sessions?.ways().length ?? 0) > 0 && { signInPath: signIn(request) }) };
  const session = await sessions?.find(request.headers);
  return { ...around, person: { name: call.caller.user.name, ...(session && { csrfToken: session.csrfToken }) } };
}

function signIn({ url }: Request): string {
  const { pathname, search } = new URL(url);
  return pathname === '/' ? '/sign-in' : `/sign-in?return=${encodeURIComponent(pathname + search)}`;
}
