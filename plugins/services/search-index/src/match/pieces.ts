import type { AttachedSlice, AttachedSnapshot } from '../snapshot/attached-snapshot.ts';
import { Bits } from './bits.ts';
import { groupFiles, isTrueWithoutContent } from './file-groups.ts';
import type { FileGroup } from './file-groups.ts';
import type { NameLevel } from '../rank/names.ts';
import type { FileQuery } from '../pool/protocol.ts';

/** Files of a view that are searched together: those of a group with their text in one part, or without text. */
export interface Piece {
  /** Among the pieces of the view. */
  readonly number: number;
  readonly files: Bits;
  /** What is left of the query: all of them match where that is `all`. */
  readonly rest: FileQuery;
  /** No path of them says more of what is searched: see `nameWeight`. */
  readonly named: number;
  /** Absent: only the paths of the files count. */
  readonly part: AttachedSlice | undefined;
  /** Only those documents are meant that have texts side by side as they are searched, or only the others; see `RowDocuments`. Absent: all are. */
  readonly hasRow?: boolean;
}

export type PieceOfPart = Piece & { readonly part: AttachedSlice };

interface Piecing {
  readonly truth: Parameters<typeof groupFiles>[2];
  /** The files of the query, where paths part them too much. */
  readonly matching: () => Generator<void, Bits>;
  readonly wantsPathsOnly: boolean;
  readonly namesOf: (files: Bits) => readonly NameLevel[];
  /** Whether what has a row is searched before the rest: see `Piece.hasRow`. */
  readonly isParted: (piece: Omit<Piece, 'number'>) => boolean;
}

/** Takes the search of a view apart, always in the same way. */
export function* piecesOf(
  view: AttachedSnapshot,
  query: FileQuery,
  { truth, matching, wantsPathsOnly, namesOf, isParted }: Piecing,
): Generator<void, Piece[]> {
  const groups: readonly FileGroup[] = groupFiles(query, view.everyFile, truth) ?? [
    { files: yield* matching(), rest: { kind: 'all' } },
  ];
  return groups
    .flatMap((group) => namesOf(group.files).map((level): NamedGroup => ({ ...group, ...level })))
    .flatMap((group) => (wantsPathsOnly ? byPath(group, group.files) : ofGroup(view, group)))
    .flatMap((piece) => (isParted(piece) ? [true, false].map((hasRow) => ({ ...piece, hasRow })) : [piece]))
    .map((piece, number) => ({ ...piece, number }));
}

type NamedGroup = FileGroup & NameLevel;
type Unnumbered = Omit<Piece, 'number'>;

const byPath = ({ rest, named }: NamedGroup, files: Bits): Unnumbered[] =>
  isTrueWithoutContent(rest) && !files.isEmpty ? [{ files, rest: { kind: 'all' }, named, part: undefined }] : [];

function ofGroup(view: AttachedSnapshot, group: NamedGroup): Unnumbered[] {
  return [
    ...(isTrueWithoutContent(group.rest) ? byPath(group, withoutText(view, group.files)) : []),
    ...view.slices.map((part) => ({ ...group, part })),
  ];
}

function withoutText({ handle }: AttachedSnapshot, files: Bits): Bits {
  const found = new Bits(files.size);
  for (const file of files.numbers()) if ((handle.documents[file] ?? -1) < 0) found.add(file);
  return found;
}
