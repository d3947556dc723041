/** What the first start prints besides the log. */
export interface Welcome {
  /** Where clients reach the server. */
  url: string;
  /** The credential of the administrator, which is shown only this once. */
  token: string;
}

/** Lines to copy: the token, and how to connect each of the common clients with it. */
export function firstWelcome({ url, token }: Welcome): string {
  const endpoint = `${url}/.api/mcp`;
  const headers = { Authorization: `Bearer ${token}` };
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'list_repos', arguments: { query: '' } },
  };
  return `Sextant serves ${url}

Access token of the administrator, shown only now:
  ${token}

Connect Claude Code:
  claude mcp add --transport http sextant ${endpoint} --header "Authorization: Bearer ${token}"

Cursor, in ~/.cursor/mcp.json:
  ${JSON.stringify({ mcpServers: { sextant: { type: 'http', url: endpoint, headers } } })}

VS Code, in .vscode/mcp.json:
  ${JSON.stringify({ servers: { sextant: { type: 'http', url: endpoint, headers } } })}

Codex, in ~/.codex/config.toml, after \`export SEXTANT_TOKEN=${token}\`:
  [mcp_servers.sextant]
  url = "${endpoint}"
  bearer_token_env_var = "SEXTANT_TOKEN"

curl:
  curl -s ${endpoint} -H "Authorization: Bearer ${token}" -H 'Content-Type: application/json' -d '${JSON.stringify(call)}'
`;
}

/** What every later start prints. */
export const laterWelcome = (url: string, program: string): string =>
  `Sextant serves ${url}\nAnother access token: ${program} token create --user admin\n`;

/** What to type to run this program again. */
export const programName = (env: NodeJS.ProcessEnv = process.env): string =>
  env['npm_lifecycle_event'] === undefined ? 'sextant' : 'npm run -s sextant --';
