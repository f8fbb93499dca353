import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isRecord } from '../../../config/index.js';
import { PRIVATE_MODE, replaceFile } from '../../../replace-file.js';
import type { ToolFeatures } from './tool/features.js';
import type { ToolFailureCode } from './tool/tool-failure.js';

/** What is remembered of an agent's external index from one process to the next. */
export interface ExtState {
  /** What a release can, by the key of its program. */
  readonly detected?: { readonly key: string; readonly features: ToolFeatures };
  /** The collections that the program was told of. */
  readonly collections: readonly KnownCollection[];
  readonly updated?: LastUpdate;
  /** When vectors were last brought up to date, or tried to; how often in a row that failed. */
  readonly embedded?: { readonly atMs: number; readonly failures: number };
  readonly rest?: Rest;
}

/** A collection as the program was told of it. */
export interface KnownCollection {
  readonly name: string;
  readonly root: string;
  readonly pattern: string;
}

/** The last refresh of the index that ended well. */
export interface LastUpdate {
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  readonly tookMs: number;
  /** How many files its collections hold. */
  readonly files: number;
  /** What the files looked like when it began; null when one was too fresh to be sure of. */
  readonly tree: string | null;
  /** Contents without a vector; null where the program did not say. */
  readonly withoutVectors: number | null;
}

/** The program failed: it is left alone for a while, so that not every question waits for it. */
export interface Rest {
  /** Of the program that failed, and its mode; another one is tried at once. */
  readonly key: string;
  readonly failures: number;
  /** Milliseconds since the epoch. */
  readonly untilMs: number;
  readonly code: ToolFailureCode;
  readonly message: string;
  readonly hint: string;
}

const EMPTY: ExtState = { collections: [] };
/** Larger is nothing that was written here. */
const MOST_BYTES = 1024 * 1024;

/** Where the state of an agent's folder for the program lies. */
export function extStateFile(dir: string): string {
  return join(dir, 'state.json');
}

/**
 * The state as it is. One that is missing or broken is empty: everything in it can be found out anew.
 */
export function readExtState(dir: string): ExtState {
  try {
    const text = readFileSync(extStateFile(dir), 'utf8');
    const value: unknown = text.length > MOST_BYTES ? undefined : JSON.parse(text);
    if (!isRecord(value)) return EMPTY;
    const { detected, collections, updated, embedded, rest } = value;
    return {
      ...(isDetected(detected) ? { detected } : {}),
      collections: Array.isArray(collections) ? collections.filter(isKnownCollection) : [],
      ...(isLastUpdate(updated) ? { updated } : {}),
      ...(isEmbedded(embedded) ? { embedded } : {}),
      ...(isRest(rest) ? { rest } : {}),
    };
  } catch {
    return EMPTY;
  }
}

/**
 * Changes the state. Of two processes that do so at once one change may be lost: something is found out
 * once more.
 *
 * @throws the system's error
 */
export function updateExtState(dir: string, change: (state: ExtState) => ExtState): ExtState {
  const state = change(readExtState(dir));
  const file = extStateFile(dir);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  replaceFile(file, `${JSON.stringify(state)}\n`, PRIVATE_MODE);
  return state;
}

function isDetected(value: unknown): value is NonNullable<ExtState['detected']> {
  return isRecord(value) && typeof value['key'] === 'string' && isFeatures(value['features']);
}

function isFeatures(value: unknown): value is ToolFeatures {
  return (
    isRecord(value) &&
    (value['release'] === null || typeof value['release'] === 'string') &&
    (value['patternFlag'] === '--glob' || value['patternFlag'] === '--mask') &&
    typeof value['manyCollections'] === 'boolean' &&
    typeof value['vectorSearch'] === 'boolean' &&
    isTexts(value['json'])
  );
}

function isKnownCollection(value: unknown): value is KnownCollection {
  return isRecord(value) && isTexts([value['name'], value['root'], value['pattern']]);
}

function isLastUpdate(value: unknown): value is LastUpdate {
  return (
    isRecord(value) &&
    areNumbers([value['atMs'], value['tookMs'], value['files']]) &&
    (value['tree'] === null || typeof value['tree'] === 'string') &&
    (value['withoutVectors'] === null || typeof value['withoutVectors'] === 'number')
  );
}

function isEmbedded(value: unknown): value is NonNullable<ExtState['embedded']> {
  return isRecord(value) && areNumbers([value['atMs'], value['failures']]);
}

function isRest(value: unknown): value is Rest {
  return (
    isRecord(value) &&
    areNumbers([value['failures'], value['untilMs']]) &&
    isTexts([value['key'], value['code'], value['message'], value['hint']])
  );
}

function isTexts(values: unknown): boolean {
  return Array.isArray(values) && values.every((value) => typeof value === 'string');
}

function areNumbers(values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === 'number' && Number.isFinite(value));
}
