/** What a test may vary of a POST to an MCP endpoint. */
export interface PostOptions {
  path?: string;
  token?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export const call = (name: string, args: object = {}, id: string | number = 1): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

/** A POST as a careful client sends it; a string is sent as it is. */
export function post(url: string, message: unknown, options: PostOptions = {}): Promise<Response> {
  const { path = '/.api/mcp', token = 'alice-token', headers, signal } = options;
  return fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      authorization: `Bearer ${token}`,
      ...headers,
    },
    body: typeof message === 'string' ? message : JSON.stringify(message),
    ...(signal && { signal }),
  });
}
