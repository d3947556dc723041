// The floor: an h3 handler that reads the request and returns bytes that it was given. Run as a process of its own.
import { H3, serve } from 'h3';

const answers = JSON.parse(process.env['ANSWERS'] ?? '{}') as Record<string, string>;
const headers = { 'content-type': 'application/json' };
const app = new H3();
for (const [path, body] of Object.entries(answers))
  app.post(path, async ({ req }) => {
    await req.text();
    return new Response(body, { headers });
  });
const server = serve(app, { port: 0, hostname: '127.0.0.1', silent: true });
await server.ready();
process.stdout.write(`${server.url}\n`);
