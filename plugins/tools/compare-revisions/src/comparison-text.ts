import type { ComparisonOutput } from './wire.ts';

type File = ComparisonOutput['files'][number];

/** The comparison as a diff with short headings. */
export function toText({
  repository,
  base,
  head,
  totalAdded,
  totalDeleted,
  totalModified,
  files,
  hasNextPage,
  endCursor,
}: ComparisonOutput): string {
  const total = `${totalModified} ${totalModified === 1 ? 'file' : 'files'}, +${totalAdded} -${totalDeleted} lines`;
  return [
    `# ${repository} – ${base.slice(0, 12)}...${head.slice(0, 12)}: ${total}`,
    ...files.flatMap(fileLines),
    ...(hasNextPage ? [`[more files; ask again with after: ${endCursor}]`] : []),
  ].join('\n');
}

function fileLines(file: File): string[] {
  const { path, previousPath, status, added, deleted, binary, truncated, hunks } = file;
  const name = previousPath === undefined ? path : `${previousPath} → ${path}`;
  const size = binary ? 'binary' : `+${added} -${deleted}`;
  return [
    `## ${status} ${name} (${[size, ...modeOf(file)].join(', ')})`,
    ...hunks.flatMap(({ oldStart, oldLines, newStart, newLines, section, lines }) => [
      `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@${section === undefined ? '' : ` ${section}`}`,
      lines,
    ]),
    ...(truncated ? ['[the rest of this diff is too large; read the file at both revisions]'] : []),
  ];
}

const modeOf = ({ oldMode, newMode }: File): string[] =>
  oldMode !== undefined && newMode !== undefined && oldMode !== newMode ? [`mode ${oldMode} → ${newMode}`] : [];
