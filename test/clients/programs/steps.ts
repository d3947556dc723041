const [, , endpoint = '', other = '', desk = ''] = process.argv;
let asked = 0;

/** What the person's browser brings back. */
export async function askPerson(url: URL | undefined): Promise<{ code: string; iss?: string }> {
  asked += 1;
  const answer = await fetch(`${desk}?${new URLSearchParams({ url: String(url) })}`);
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()) as { code: string; iss?: string };
}

export interface SteppedClient {
  /** Connects, with the person's help where it must, and counts the tools. */
  listTools(endpoint: string): Promise<number>;
  /** Makes the access token useless, not the refresh token. */
  spoil(): void;
  leaveRefreshToken(): void;
}

/** Connects, refreshes, and goes to another endpoint with the same access token; a line of JSON tells of each. */
export async function runSteps({ listTools, spoil, leaveRefreshToken }: SteppedClient): Promise<void> {
  const tell = (line: object): void => void process.stdout.write(`${JSON.stringify({ ...line, asked })}\n`);
  try {
    tell({ step: 'connected', tools: await listTools(endpoint) });
    spoil();
    tell({ step: 'refreshed', tools: await listTools(endpoint) });
    leaveRefreshToken();
    tell({ step: 'elsewhere', tools: await listTools(other) });
  } catch (error) {
    tell({ step: 'refused', message: String(error) });
  }
}
