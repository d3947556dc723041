import type { StoredShard } from '../shards/loaded-shard.ts';
import { blobsIn } from '../shards/shard-set.ts';
import type { DocumentPlace, ShardSet } from '../shards/shard-set.ts';
import type { LaidBefore } from './changed-files.ts';
import { basesOf, sharedNumbers } from './laid-files.ts';

/** Instead of the number of a document: these shards do not have it. */
const nowhere = -1;

type PlaceOf = (document: number) => DocumentPlace | undefined;

/** Files that were laid over other shards, laid over these; undefined where they lack some of the text. */
export function movedFiles(before: LaidBefore, set: ShardSet): LaidBefore | undefined {
  const isThere = new Set(set.shards);
  if (before.parts.every((part) => isThere.has(part))) return before;
  const places = new Map(
    before.parts.map((part) => [part, isThere.has(part) ? stayingIn(part) : movingFrom(part, set)]),
  );
  const parts = partsOf(places, set);
  const numbers = newNumbers(places, parts);
  const documents = sharedNumbers.signed(before.documents.length);
  for (let file = 0; file < documents.length; file += 1) {
    const document = before.documents[file] ?? nowhere;
    documents[file] = document < 0 ? document : (numbers[document] ?? nowhere);
    if (document >= 0 && documents[file] === nowhere) return undefined;
  }
  return { ...before, documents, parts };
}

const stayingIn =
  (shard: StoredShard): PlaceOf =>
  (document) => ({ shard, document });

function movingFrom(shard: StoredShard, set: ShardSet): PlaceOf {
  const places = blobsIn(shard).map((blob) => set.place(blob));
  return (document) => places[document];
}

/** The shards that have any of the documents now. */
function partsOf(places: ReadonlyMap<StoredShard, PlaceOf>, { shards }: ShardSet): StoredShard[] {
  const used = new Set<StoredShard | undefined>();
  for (const [{ loaded }, placeOf] of places)
    for (let document = 0; document < loaded.documents; document += 1) used.add(placeOf(document)?.shard);
  return shards.filter((shard) => used.has(shard));
}

/** Of each document, counted over all shards before, which it is among all of these. */
function newNumbers(places: ReadonlyMap<StoredShard, PlaceOf>, parts: readonly StoredShard[]): readonly number[] {
  const bases = basesOf(parts);
  const numbers: number[] = [];
  for (const [{ loaded }, placeOf] of places)
    for (let document = 0; document < loaded.documents; document += 1) {
      const place = placeOf(document);
      numbers.push(place ? (bases.get(place.shard) ?? 0) + place.document : nowhere);
    }
  return numbers;
}
