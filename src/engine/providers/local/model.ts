import { fstatSync, readSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { systemErrorCode, systemReason } from '../../errors/index.js';
import { crypto } from '../../support/crypto.js';
import { READ, unlessSystemError, withFile } from '../../support/files.js';
import type { ProviderSettings } from '../vendor.js';
import { VendorFault } from '../vendor-fault.js';
import { headerFault } from './gguf-header.js';
import { DEFAULT_MODEL } from './runtime/store.js';

/** A file in a Hugging Face repository. */
export interface HubReference {
  readonly kind: 'hub';
  /** `user/name`. */
  readonly repository: string;
  /** A branch, tag or commit. */
  readonly revision: string;
  readonly file:
    | { readonly path: string }
    /** `Q8_0`; the repository knows which file that is. */
    | { readonly quantization: string };
  /** The normalized reference. */
  readonly name: string;
}

/** A model at any URL. */
interface UrlReference {
  readonly kind: 'url';
  readonly url: string;
  /** The URL without user, password and query, which may be secret. */
  readonly name: string;
}

interface FileReference {
  readonly kind: 'file';
  readonly path: string;
  readonly name: string;
}

export type RemoteReference = HubReference | UrlReference;

/** The parsed `local.modelPath`. */
export type ModelReference = FileReference | RemoteReference;

/**
 * Parses `local.modelPath`: an absolute path, an http(s) URL, or
 *
 * - `hf:user/repo/path/file.gguf`, with `#revision` unless it is `main`
 * - `hf:user/repo:Q8_0`, the file with that quantization
 *
 * @param modelPath undefined means the default model
 * @throws VendorFault for an invalid reference
 */
export function parseModelReference(modelPath: string | undefined): ModelReference {
  const text = (modelPath ?? DEFAULT_MODEL).trim();
  if (/^hf:/u.test(text)) return parseHub(text);
  if (/^https?:\/\//u.test(text)) return parseUrl(text);
  return { kind: 'file', path: text, name: basename(text) };
}

const REPOSITORY = '[\\w.-]+/[\\w.-]+';
const BY_FILE = new RegExp(`^hf:(?://)?(${REPOSITORY})/([^#:]+\\.gguf)(?:#([^#]+))?$`, 'iu');
const BY_QUANTIZATION = new RegExp(`^hf:(?://)?(${REPOSITORY}):([\\w.-]+)$`, 'u');

function parseHub(text: string): HubReference {
  const [, repository, path, revision = 'main'] = BY_FILE.exec(text) ?? [];
  if (repository !== undefined && path !== undefined && !path.split('/').includes('..')) {
    refuseSplit(path);
    const at = revision === 'main' ? '' : `#${revision}`;
    const name = `hf:${repository}/${path}${at}`;
    return { kind: 'hub', repository, revision, file: { path }, name };
  }
  const [, owner, quantization] = BY_QUANTIZATION.exec(text) ?? [];
  if (owner !== undefined && quantization !== undefined) {
    const upper = quantization.toUpperCase();
    const name = `hf:${owner}:${upper}`;
    const file = { quantization: upper };
    return { kind: 'hub', repository: owner, revision: 'main', file, name };
  }
  throw badReference(text, `use hf:user/repo/file.gguf or hf:user/repo:Q8_0`);
}

function parseUrl(text: string): UrlReference {
  if (!URL.canParse(text)) throw badReference(text, 'use the full http(s) URL of a .gguf file');
  const url = new URL(text);
  refuseSplit(url.pathname);
  // URLs that differ only in their query may be different models.
  const query = url.search === '' ? '' : `#${crypto().hash('sha256', url.search).slice(0, 8)}`;
  return { kind: 'url', url: url.href, name: `${url.origin}${url.pathname}${query}` };
}

/** Only large models come in parts. */
function refuseSplit(path: string): void {
  if (/-\d{5}-of-\d{5}\.gguf$/iu.test(path)) {
    throw badReference(basename(path), 'use a model with a single file');
  }
}

function badReference(text: string, hint: string): VendorFault {
  return new VendorFault(
    'setup',
    `local.modelPath must be a model (got ${JSON.stringify(withoutSecrets(text))})`,
    { hint },
  );
}

function withoutSecrets(text: string): string {
  return text.replace(/\/\/[^/@]*@/u, '//').replace(/\?[^#]*/u, '');
}

const MAX_STEM = 80;

/** A readable file name, with a hash of the whole reference to avoid collisions. */
export function cacheFileName(reference: RemoteReference): string {
  const whole = reference.kind === 'url' ? reference.url : reference.name;
  const last = reference.kind === 'url' ? new URL(whole).pathname : whole.replace(/#.*/su, '');
  const stem = basename(last)
    .replace(/\.gguf$/iu, '')
    .replaceAll(/[^\w.-]+/gu, '-')
    .slice(0, MAX_STEM);
  return `${stem === '' ? 'model' : stem}-${crypto().hash('sha256', whole).slice(0, 12)}.gguf`;
}

/** A model that is not on disk. */
export interface MissingModel {
  readonly present: false;
  /** Where it belongs. */
  readonly path: string;
  /** What can be downloaded. */
  readonly remote?: RemoteReference;
}

/**
 * Whether the model is on disk. A download only appears under this name once it is complete and
 * verified.
 *
 * @throws VendorFault if `modelPath` is invalid
 */
export function modelFileState(
  settings: Pick<ProviderSettings['local'], 'modelCacheDir' | 'modelPath'>,
): MissingModel | { readonly present: true; readonly path: string } {
  const reference = parseModelReference(settings.modelPath);
  const path = modelPathOf(reference, settings.modelCacheDir);
  if (isDownloaded(path)) return { present: true, path };
  return { present: false, path, ...(reference.kind === 'file' ? {} : { remote: reference }) };
}

export function isDownloaded(path: string): boolean {
  return unlessSystemError(() => statSync(path))?.isFile() === true;
}

/** The absolute path where a model is or will be stored. */
export function modelPathOf(reference: ModelReference, modelCacheDir: string): string {
  return reference.kind === 'file' ? reference.path : join(modelCacheDir, cacheFileName(reference));
}

/** Samples of the file at its beginning, end and in between. */
const SAMPLE_BYTES = 64 * 1024;
const SAMPLES = 5;

/**
 * The identity of a model file: its name and a fingerprint of its size and five samples, since
 * reading all of it would take seconds.
 *
 * @throws VendorFault if it cannot be read
 */
export function fileIdentity(path: string): string {
  return reading(path, (file, size) => {
    const hash = crypto().createHash('sha256').update(String(size));
    const sample = Buffer.alloc(Math.min(SAMPLE_BYTES, size));
    for (let part = 0; part < SAMPLES; part++) {
      const from = Math.floor(((size - sample.length) * part) / (SAMPLES - 1));
      const read = readSync(file, sample, 0, sample.length, from);
      hash.update(sample.subarray(0, read));
    }
    return `${basename(path)}@${hash.digest('hex').slice(0, 16)}`;
  });
}

/**
 * Checks a file before native code loads it, which may crash on anything else.
 *
 * @throws VendorFault
 */
export function checkModelFile(path: string): void {
  reading(path, (file, size) => {
    const fault = headerFault(file, size);
    if (fault !== undefined) throw notAModel(path, fault);
  });
}

/** The fault of an unusable model file. */
export function notAModel(path: string, why: string): VendorFault {
  return new VendorFault('setup', `cannot use the model ${path}: ${why}`, {
    hint: 'if it was downloaded, delete it and run "svc provider install local"; otherwise set local.modelPath to a GGUF embedding model',
  });
}

/** The fault of a missing model file. */
export function modelMissing(path: string): VendorFault {
  return new VendorFault('setup', `model file not found: ${path}`, {
    hint: 'fix memorySearch.local.modelPath, or remove it to use the default model',
  });
}

function reading<T>(path: string, read: (file: number, size: number) => T): T {
  try {
    return withFile(path, READ, (file) => {
      const stat = fstatSync(file);
      if (!stat.isFile()) throw notAModel(path, 'it is not a file');
      return read(file, stat.size);
    });
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') throw modelMissing(path);
    if (systemErrorCode(error) !== undefined) throw notAModel(path, systemReason(error));
    throw error;
  }
}
