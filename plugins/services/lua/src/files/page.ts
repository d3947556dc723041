import { Evaluator } from '@sextant/contracts';
import { definePage, mcpAccess } from '@sextant/core';
import { mediaTypeOf } from './file-names.ts';

/** Where generated files are; the rest of the path is the id. */
export const filesPath = '/evaluator/files/';

/** Gives a generated file to its creator. It is saved, not shown; where something shows it after all, nothing in it runs. */
export const filePage = definePage({
  name: 'evaluator-file',
  method: 'GET',
  path: `${filesPath}:id`,
  access: { scope: 'mcp', permission: mcpAccess },
  needs: { evaluator: Evaluator },
  async respond(request, { evaluator }, { caller }) {
    const id = new URL(request.url).pathname.slice(filesPath.length);
    const { name, content } = await evaluator.readFile(caller, id);
    return new Response(content.slice(), {
      headers: {
        'content-type': mediaTypeOf(name),
        'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
        'cache-control': 'private, no-store',
        'cross-origin-resource-policy': 'same-origin',
      },
    });
  },
});
