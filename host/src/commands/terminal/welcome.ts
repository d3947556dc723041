/** What every start prints besides the log. */
export interface Welcome {
  /** Where clients and browsers reach the server. */
  readonly url: string;
  /** Where the repositories come from: a configuration file, or folders. */
  readonly served: string;
  readonly dataFolder: string;
}

/** What only the first start prints. */
export interface FirstWelcome extends Welcome {
  /** The credential of the administrator, which is shown only this once. */
  readonly token: string;
  /** A link that signs the administrator in to a browser, once; undefined where no plugin makes one. */
  readonly signIn: string | undefined;
}

const summary = ({ url, served, dataFolder }: Welcome): string =>
  `Sextant serves ${url}
  repositories: ${served}
  data: ${dataFolder}
`;

/** Lines to copy: how to sign in, the token, and how to connect each of the common clients with it. */
export function firstWelcome({ token, signIn, ...welcome }: FirstWelcome): string {
  const endpoint = `${welcome.url}/.api/mcp`;
  const input = { id: 'sextant-token', type: 'promptString', description: 'Sextant access token', password: true };
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'list_repos', arguments: { query: '' } },
  };
  const browser =
    signIn === undefined ? '' : `\nOpen it in a browser (the link signs you in once, within an hour):\n  ${signIn}\n`;
  return `${summary(welcome)}${browser}
Access token of the administrator, shown only now:
  export SEXTANT_TOKEN=${token}

Connect Claude Code:
  claude mcp add --transport http sextant ${endpoint} --header "Authorization: Bearer $SEXTANT_TOKEN"

Cursor, in ~/.cursor/mcp.json:
  ${JSON.stringify({ mcpServers: { sextant: { type: 'http', url: endpoint, headers: headers('env:SEXTANT_TOKEN') } } })}

VS Code, in .vscode/mcp.json:
  ${JSON.stringify({ inputs: [input], servers: { sextant: { type: 'http', url: endpoint, headers: headers('input:sextant-token') } } })}

Codex, in ~/.codex/config.toml:
  [mcp_servers.sextant]
  url = "${endpoint}"
  bearer_token_env_var = "SEXTANT_TOKEN"

curl:
  curl -s ${endpoint} -H "Authorization: Bearer $SEXTANT_TOKEN" -H 'Content-Type: application/json' -d '${JSON.stringify(call)}'
`;
}

const headers = (reference: string): object => ({ Authorization: `Bearer \${${reference}}` });

/** What every later start prints. */
export const laterWelcome = (welcome: Welcome, program: string): string =>
  `${summary(welcome)}Another access token: ${program} token create --user admin
A link to sign in with a browser: ${program} user link admin
`;

/** What to type to run this program again. */
export const programName = (env: NodeJS.ProcessEnv = process.env): string =>
  env['npm_lifecycle_event'] === undefined ? 'sextant' : 'npm run -s sextant --';
