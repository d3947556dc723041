/** Begins each connection of a program's stream: whose it is. Its length is always the same. */
export const headerOf = ({ secret, id, stream }: { secret: string; id: number; stream: number }): string =>
  `${secret}${String(id).padStart(idDigits, '0')}${stream}`;

const idDigits = 12;
export const secretLength = 32;
export const headerLength = secretLength + idDigits + 1;

/** The program and stream that a header names. */
export const parseHeader = (text: string): { secret: string; id: number; stream: number } => ({
  secret: text.slice(0, secretLength),
  id: Number(text.slice(secretLength, -1)),
  stream: Number(text.slice(-1)),
});

/** What the server sends to the launcher: first where to connect to, then what to do. */
export type LaunchRequest =
  | { readonly kind: 'serve'; readonly address: string; readonly secret: string }
  | ({ readonly kind: 'start'; readonly id: number } & Program)
  | { readonly kind: 'kill'; readonly id: number; readonly signal: NodeJS.Signals };

export interface Program {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Whether other programs come first. */
  readonly isBackground: boolean;
}

/** What the launcher tells of a program. */
export type LaunchReport =
  | { readonly kind: 'started'; readonly id: number; readonly pid: number }
  | {
      readonly kind: 'ended';
      readonly id: number;
      readonly code: number | null;
      readonly signal: string | null;
      /** Milliseconds that it had of the processor; 0 where the system does not tell. */
      readonly spent: number;
    }
  /** It could not be started. */
  | { readonly kind: 'failed'; readonly id: number; readonly reason: string };
