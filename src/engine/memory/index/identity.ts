import { SvcError } from '../../errors/index.js';
import { CHUNKER_VERSION } from '../chunking/chunk-markdown.js';

/** The full-text tokenizers of memory search §2.11. */
export type Tokenizer = 'trigram' | 'unicode61';

/**
 * What an index was built with. Indexes of the same files with equal identities have the same chunks; any
 * difference requires a rebuild.
 */
export type IndexIdentity = Readonly<ReturnType<typeof currentIdentity>>;

/** Increased with every schema change; an index of an older version is rebuilt. */
export const SCHEMA_VERSION = 13;

/** The settings that are part of the identity. */
export interface IndexSettings {
  readonly chunking: { readonly tokens: number; readonly overlap: number };
  readonly tokenizer: Tokenizer;
  /** See {@link IndexIdentity.conversationsIn}; defaults to empty. */
  readonly conversationsIn?: string | undefined;
  /** See {@link IndexIdentity.workspace}; defaults to empty. */
  readonly workspace?: string | undefined;
}

/** The identity of an index built now with these settings. */
export function currentIdentity(settings: IndexSettings) {
  return {
    schemaVersion: SCHEMA_VERSION,
    chunkerVersion: CHUNKER_VERSION,
    chunkTokens: settings.chunking.tokens,
    chunkOverlap: settings.chunking.overlap,
    tokenizer: settings.tokenizer,
    /** Folders that conversations of other agents must belong to; empty when all are indexed. */
    conversationsIn: settings.conversationsIn ?? '',
    /**
     * The folder whose notes it has; empty in a shared memory. Agents of the same name in different projects use the same
     * file, and none must be answered from the notes of another.
     */
    workspace: settings.workspace ?? '',
  };
}

type Versions = Pick<IndexIdentity, 'chunkerVersion' | 'schemaVersion'>;

/** Undefined unless a newer svc wrote an index; otherwise a clause for people. */
export function newerComplaint({ schemaVersion, chunkerVersion }: Versions): string | undefined {
  const [version, known] =
    schemaVersion > SCHEMA_VERSION
      ? [schemaVersion, SCHEMA_VERSION]
      : [chunkerVersion, CHUNKER_VERSION];
  if (version <= known) return undefined;
  return `it was written by a newer svc (format ${version}, supported: ${known})`;
}

/** An svc that stays open over an upgrade must not rebuild what the newer one then rebuilds again, forever. */
export function newerIndex(why: string): SvcError {
  return new SvcError('INDEX_NEWER', `cannot use the index: ${why}`, {
    hint: 'restart this svc if it was started before an upgrade, or upgrade it; "svc memory index --force" rebuilds the index for this version',
  });
}

/** The names of the fields for people. */
const FIELDS: readonly (readonly [keyof IndexIdentity, string])[] = [
  ['schemaVersion', 'version of the tables'],
  ['chunkerVersion', 'version of the chunking rules'],
  ['chunkTokens', 'chunking.tokens'],
  ['chunkOverlap', 'chunking.overlap'],
  ['tokenizer', 'tokenizer'],
  ['conversationsIn', 'folders of conversations'],
  ['workspace', 'workspace'],
];

/** The fields that differ, with both values, as text. */
export function identityDifferences(stored: IndexIdentity, wanted: IndexIdentity): string[] {
  const shown = (value: number | string): string => (value === '' ? 'any' : String(value));
  return FIELDS.flatMap(([field, name]) => {
    const [before, now] = [stored[field], wanted[field]];
    return before === now ? [] : [`${name}: ${shown(before)} → ${shown(now)}`];
  });
}
