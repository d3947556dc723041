// The official SDK of the session era. Arguments: an endpoint, another one, and where the person sits.
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { AgentProvider } from '../../../plugins/auth/oauth/src/testing/agent-provider.ts';
import { askPerson, runSteps } from './steps.ts';

const provider = new AgentProvider();

async function listTools(endpoint: string): Promise<number> {
  const client = new Client({ name: 'session-client', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(endpoint), { authProvider: provider });
  try {
    // The SDK declares what its own interface does not take under exactOptionalPropertyTypes.
    await client.connect(transport as Parameters<Client['connect']>[0]);
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error;
    await transport.finishAuth((await askPerson(provider.sentTo)).code);
    return listTools(endpoint);
  }
  const { tools } = await client.listTools();
  await client.close();
  return tools.length;
}

await runSteps(provider, listTools);
