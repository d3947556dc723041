import { SextantError } from '@sextant/core';
import type { Query } from '@sextant/library-query';

/** What is asked of the names of repositories. Throws `invalid_argument` for what is about files. */
export function namesQuery(query: Query): Query {
  switch (query.kind) {
    case 'and':
    case 'or':
      return { kind: query.kind, children: query.children.map(namesQuery) };
    case 'not':
      return { kind: 'not', child: namesQuery(query.child) };
    case 'rev':
      return { kind: 'all' };
    case 'literal':
    case 'regex':
    case 'all':
    case 'none':
      return query;
    default:
      throw new SextantError(
        'invalid_argument',
        `type:repo looks at names only: words, repo:, fork: and archived: are allowed with it, not ${query.kind}`,
      );
  }
}
