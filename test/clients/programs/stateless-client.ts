// The official SDK of 2026-07-28. Arguments: an endpoint, another one, and where the person sits.
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { AgentProvider } from '../../../plugins/auth/oauth/src/testing/agent-provider.ts';
import { askPerson, runSteps } from './steps.ts';

const provider = new AgentProvider();

async function listTools(endpoint: string): Promise<number> {
  const client = new Client({ name: 'stateless-client', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const transport = new StreamableHTTPClientTransport(new URL(endpoint), { authProvider: provider });
  try {
    await client.connect(transport);
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error;
    const { code, iss } = await askPerson(provider.sentTo);
    await transport.finishAuth(code, iss);
    return listTools(endpoint);
  }
  const { tools } = await client.listTools();
  await client.close();
  return tools.length;
}

await runSteps(provider, listTools);
