import { z } from 'zod';
import * as schemas from './schemas.ts';

interface Method<A extends z.ZodType, R extends z.ZodType, S extends boolean> {
  readonly args: A;
  readonly result: R;
  /** Whether it answers any number of results, one after the other. */
  readonly isStream: S;
}

const one = <A extends z.ZodType, R extends z.ZodType>(args: A, result: R): Method<A, R, false> => ({
  args,
  result,
  isStream: false,
});

const many = <A extends z.ZodType, R extends z.ZodType>(args: A, result: R): Method<A, R, true> => ({
  args,
  result,
  isStream: true,
});

/** What is about one repository names it. */
const of = <T extends z.ZodRawShape>(shape: T) => z.strictObject({ repo: z.string(), ...shape });
/** What is about several is told of which: the node looks at no other, and says which of them it does not have. */
const among = <T extends z.ZodRawShape, R extends z.ZodType>(shape: T, result: R) =>
  one(
    z.strictObject({ repositories: z.array(z.string()), ...shape }),
    z.object({ answer: result, unseen: z.array(z.string()) }),
  );

const text = z.string();
const texts = z.array(text);
const bytes = z.instanceof(Uint8Array<ArrayBuffer>);
/** JSON has no NaN, which sizes are that nobody asked for. */
const size = z.preprocess((value) => value ?? Number.NaN, z.union([z.number(), z.nan()]));
const most = z.number();
const identity = z.object({ name: text, email: text });
const maybeText = z.exactOptional(text);
const maybeTexts = z.exactOptional(texts);

/** `bytes` is the text in UTF-8, `size` that of the blob. Where its lines begin is cheaper found than sent. */
const sentText = z.object({ size: z.number(), encoding: schemas.encoding, bytes });

const change = z.object({
  mode: text,
  id: text,
  path: text,
  before: z.object({ mode: text, id: text }).nullable(),
});

/**
 * What code nodes answer: the contracts that begin with a caller, and what services of a host read in bulk. One table for
 * both sides; what is not in it cannot be asked.
 */
export const nodeMethods = {
  /** All repositories that the node owns, then each change of them. Only hosts may ask. */
  catalogue: many(
    z.object({}),
    z.object({ isWhole: z.boolean(), entries: z.array(schemas.catalogueEntry), removed: texts, moved: texts }),
  ),
  /** Of repositories that the node has and others own: has it remove those that are held by all their owners. Only hosts may ask. */
  copies: one(z.object({ held: texts }), z.object({ left: texts, removed: z.int() })),

  'repository.resolve': one(of({ revision: maybeText }), text),
  'repository.find': one(of({ commit: text, path: text }), schemas.foundEntry),
  'repository.readCommit': one(of({ commit: text }), schemas.commitDetails),
  'repository.readBytes': one(of({ commit: text, path: text }), z.object({ bytes })),
  'repository.readText': one(of({ commit: text, path: text }), sentText),
  'repository.readTextAt': one(of({ revision: maybeText, path: text }), sentText.extend({ commit: text })),
  'repository.listTree': one(of({ folder: schemas.treeFolder }), schemas.treeListing),
  'repository.blame': one(of({ request: schemas.blameRequest }), z.array(schemas.blamedLine)),
  'repository.trace': one(of({ request: schemas.traceRequest }), schemas.lineTrace),
  'repository.listRefs': one(of({ filter: schemas.refFilter }), schemas.refList),
  'repository.mergeBase': one(of({ base: text, head: text }), schemas.comparedRevisions),
  'repository.compare': one(of({ page: schemas.comparisonPage }), schemas.comparison),

  'store.head': one(of({}), text.nullable()),
  'store.resolve': one(of({ revision: text }), text),
  'store.refs': one(of({}), z.array(z.object({ name: text, commit: text }))),
  'store.tree': many(
    of({ commit: text, wantsSizes: z.boolean() }),
    z.array(z.object({ mode: text, type: z.enum(['blob', 'commit']), id: text, size, path: text })),
  ),
  'store.changes': many(of({ from: text, to: text }), z.array(change)),
  'store.blobs': many(
    of({ ids: texts, maxBytes: most, areChecked: z.boolean() }),
    z.object({ ids: texts, sizes: z.array(z.int()), bytes }),
  ),
  'store.sizes': one(of({ ids: texts }), z.array(z.number().nullable())),
  'store.object': one(
    of({ id: text, maxBytes: most }),
    z.object({ size: z.number(), bytes: bytes.optional() }).nullable(),
  ),
  /** `bytes`: hashes, then times (8 bytes each), starts of parents (4 bytes each, one more) and parents. */
  'store.graph': one(
    of({
      range: z.object({
        include: texts,
        exclude: maybeTexts,
        withoutMerges: z.exactOptional(z.boolean()),
        most: z.exactOptional(most),
      }),
    }),
    z.object({ hashBytes: z.int(), commits: z.int(), bytes }),
  ),
  'store.patches': many(
    of({
      range: z.union([
        z.object({ commits: texts, paths: maybeTexts }),
        z.object({ from: text, to: text, paths: maybeTexts }),
      ]),
      wants: z.enum(['commits', 'paths', 'hunks']),
      contextLines: z.exactOptional(z.number()),
      seconds: z.exactOptional(z.number()),
      silentSeconds: z.exactOptional(z.number()),
    }),
    z.object({ bytes }),
  ),
  'store.mailmap': one(of({ people: z.array(identity) }), z.array(z.tuple([identity, identity]))),
  'store.shallow': one(of({}), text),

  'search.find': among({ request: schemas.searchRequest }, schemas.searchResult),
  'history.commits': among({ request: schemas.commitRequest }, schemas.commitsFound),
  'history.diffs': among({ request: schemas.diffRequest }, schemas.diffsFound),
  'history.find': among({ request: schemas.historyQuery }, schemas.historyFound),
  'history.contributors': among({ request: schemas.contributorRequest }, schemas.contributorResult),
  /** Answered by a node that has all repositories `among`, as if there were no others. */
  'symbols.definition': one(of({ request: schemas.symbolRequest, among: texts }), schemas.symbolAnswer),
  'symbols.references': one(of({ request: schemas.referenceRequest, among: texts }), schemas.referenceAnswer),
  'symbols.outline': one(of({ request: schemas.outlineRequest }), schemas.outline),
  'symbols.search': among({ request: schemas.symbolQuery }, schemas.symbolsFound),
  'symbols.having': among({ sought: z.array(schemas.sought) }, schemas.repositoriesHaving),
  /** What is done now, each time; at the end what was found. */
  'research.find': many(
    of({ request: schemas.askedTask }),
    z.union([z.object({ step: text }), z.object({ found: schemas.foundPlaces })]),
  ),
  'fetches.queue': one(of({ isNamed: z.exactOptional(z.boolean()) }), texts),
  'indexes.list': among({}, z.array(schemas.indexState)),
  'indexes.refresh': one(of({}), z.null()),
} as const;

export type NodeMethods = typeof nodeMethods;
