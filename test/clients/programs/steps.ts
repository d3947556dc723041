import type { AgentProvider } from '../../../plugins/auth/oauth/src/testing/agent-provider.ts';

const [, , endpoint = '', other = '', desk = ''] = process.argv;
let asked = 0;

/** What the person's browser brings back. */
export async function askPerson(url: URL | undefined): Promise<{ code: string; iss?: string }> {
  asked += 1;
  const answer = await fetch(`${desk}?${new URLSearchParams({ url: String(url) })}`);
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()) as { code: string; iss?: string };
}

/**
 * Connects, refreshes, and goes to another endpoint with the same access token; a line of JSON tells of each. `listTools` connects, with
 * the person's help where it must, and counts the tools.
 */
export async function runSteps(
  provider: AgentProvider,
  listTools: (endpoint: string) => Promise<number>,
): Promise<void> {
  const tell = (line: object): void => void process.stdout.write(`${JSON.stringify({ ...line, asked })}\n`);
  try {
    tell({ step: 'connected', tools: await listTools(endpoint) });
    if (provider.kept) provider.kept.access_token = 'spoiled';
    tell({ step: 'refreshed', tools: await listTools(endpoint) });
    // The SDKs give up where the refresh token is refused for another resource (RFC 8707 section 2.2).
    delete provider.kept?.refresh_token;
    tell({ step: 'elsewhere', tools: await listTools(other) });
  } catch (error) {
    tell({ step: 'refused', message: String(error) });
  }
}
