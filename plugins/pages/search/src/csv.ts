import type { Links } from '@sextant/contracts';
import { csvLines } from '@sextant/core';
import type { Found } from './page.ts';

/** What was found as a file for a spreadsheet (RFC 4180): a row for each line that matches, commit or hunk. */
export function csvOf(query: string, found: Found, links: Links): Response {
  const name = query.replace(/[^\w.-]+/g, '_').slice(0, 60);
  return new Response(csvLines(rowsOf(found, links)), {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="search-${name}.csv"`,
      'cache-control': 'no-store',
    },
  });
}

function rowsOf(found: Found, links: Links): string[][] {
  if (found.kind === 'files') {
    const rows = found.result.files.flatMap(({ repo, path, revision = '', matches, commit }) => {
      const url = links.file({ repo, path, ...(revision !== '' && { revision }) });
      const lines = matches.map(({ line, text }) => [
        repo,
        path,
        revision,
        commit,
        String(line),
        text.trim(),
        `${url}?L${line}`,
      ]);
      return lines.length > 0 ? lines : [[repo, path, revision, commit, '', '', url]];
    });
    return [['Repository', 'Path', 'Revision', 'Commit', 'Line', 'Text', 'Link'], ...rows];
  }
  const rows = found.found.results.map((result) => [
    result.repo,
    result.commit,
    result.author.name,
    result.author.email,
    result.date,
    result.title,
    'path' in result ? result.path : '',
    'hunk' in result ? result.hunk : '',
    links.commit(result.repo, result.commit),
  ]);
  return [['Repository', 'Commit', 'Author', 'E-mail', 'Date', 'Title', 'Path', 'Change', 'Link'], ...rows];
}
