import type { DocumentKind, LineRange, Source } from '../types.js';
import type { ForgetEntry } from './forget-list.js';

/** What is asked to be forgotten. */
export interface ForgetRequest {
  /** A path, a citation, or words to search for. */
  readonly target: string;
  /** How many passages words may bring up; `query.maxResults` when absent. */
  readonly maxResults?: number | undefined;
}

/** Lines that would be forgotten. */
export interface ForgetPassage extends LineRange {
  readonly path: string;
  readonly absolutePath: string;
  readonly source: Source;
  readonly kind: DocumentKind;
  readonly text: string;
  /** The text in the stretches that lines are neighbours in: a note's as it is, a conversation's by turn. */
  readonly parts: readonly string[];
  /** SHA-256 of the file's bytes as they were read, hexadecimal; undefined for a transcript, which grows. */
  readonly fileHash: string | undefined;
  /** The whole file. */
  readonly whole: boolean;
}

/** What forgetting would take away. */
export interface ForgetPlan {
  readonly target: string;
  /** In the order of the files, no two overlapping. */
  readonly passages: readonly ForgetPassage[];
  /** The same lines in other places of the notes: they go as well. */
  readonly alsoIn: readonly (LineRange & { readonly path: string })[];
}

/** What came of taking something back. */
export interface Undone {
  readonly entry: ForgetEntry;
  /** Files that are as they were before. */
  readonly restored: readonly string[];
  /** Files that somebody changed since, with where their backups lie. */
  readonly kept: readonly { readonly path: string; readonly backup: string }[];
}
