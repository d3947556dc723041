/** How one MCP client connects: through the browser where it can, and with an access token. */
export interface Client {
  readonly id: string;
  readonly name: string;
  /** Ways to connect, the best first. */
  readonly ways: readonly Way[];
}

export interface Way {
  readonly title: string;
  /** Where the text goes: a terminal, a file. */
  readonly where: string;
  readonly text: string;
}

const signIn = 'Sign in through the browser';
const withToken = 'With an access token';
const terminal = 'In a terminal';
const bearer = (secret: string): Record<string, string> => ({ Authorization: `Bearer ${secret}` });
const json = (value: unknown): string => JSON.stringify(value, null, 2);

/** The clients that people use, filled in with the address of the default endpoint. Tokens are named, never shown. */
export const clientsFor = (url: string): readonly Client[] => [
  { id: 'claude-code', name: 'Claude Code', ways: claudeCode(url) },
  { id: 'cursor', name: 'Cursor', ways: cursor(url) },
  { id: 'vs-code', name: 'VS Code', ways: vsCode(url) },
  { id: 'codex', name: 'Codex', ways: codex(url) },
  { id: 'gemini-cli', name: 'Gemini CLI', ways: geminiCli(url) },
  { id: 'other', name: 'Any other client', ways: others(url) },
];

const claudeCode = (url: string): Way[] => [
  { title: signIn, where: terminal, text: `claude mcp add --transport http sextant ${url}` },
  {
    title: withToken,
    where: terminal,
    text: `claude mcp add --transport http sextant ${url} --header "Authorization: Bearer $SEXTANT_TOKEN"`,
  },
];

const cursor = (url: string): Way[] => [
  { title: signIn, where: 'In ~/.cursor/mcp.json', text: json({ mcpServers: { sextant: { url } } }) },
  {
    title: withToken,
    where: 'In ~/.cursor/mcp.json',
    text: json({ mcpServers: { sextant: { url, headers: bearer('${env:SEXTANT_TOKEN}') } } }),
  },
];

const codex = (url: string): Way[] => [
  { title: signIn, where: terminal, text: `codex mcp add sextant --url ${url}\ncodex mcp login sextant` },
  {
    title: withToken,
    where: 'In ~/.codex/config.toml',
    text: `[mcp_servers.sextant]\nurl = "${url}"\nbearer_token_env_var = "SEXTANT_TOKEN"`,
  },
];

const geminiCli = (url: string): Way[] => [
  { title: signIn, where: terminal, text: `gemini mcp add --transport http sextant ${url}` },
  {
    title: withToken,
    where: terminal,
    text: `gemini mcp add --transport http --header "Authorization: Bearer $SEXTANT_TOKEN" sextant ${url}`,
  },
];

const vsCode = (url: string): Way[] => [
  {
    title: signIn,
    where: 'In .vscode/mcp.json',
    text: json({ servers: { sextant: { type: 'http', url } } }),
  },
  {
    title: withToken,
    where: 'In .vscode/mcp.json',
    text: json({
      inputs: [{ id: 'sextant-token', type: 'promptString', description: 'Sextant access token', password: true }],
      servers: { sextant: { type: 'http', url, headers: bearer('${input:sextant-token}') } },
    }),
  },
];

const listRepositories = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'list_repos', arguments: { query: '' } },
});

const others = (url: string): Way[] => [
  { title: signIn, where: 'The address, for a client that speaks HTTP', text: url },
  {
    title: 'A client that only starts programs',
    where: 'In its list of servers',
    text: json({ mcpServers: { sextant: { command: 'npx', args: ['-y', 'mcp-remote', url] } } }),
  },
  {
    title: 'By hand, with an access token',
    where: terminal,
    text: `curl -s ${url} -H "Authorization: Bearer $SEXTANT_TOKEN" \\\n  -H 'Content-Type: application/json' \\\n  -d '${listRepositories}'`,
  },
];
