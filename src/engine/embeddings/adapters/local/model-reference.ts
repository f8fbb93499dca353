import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { VendorFault } from '../../vendor-fault.js';

/** The model that is used when none is configured (spec/memory-search §2.1). */
export const DEFAULT_MODEL =
  'hf:ggml-org/embeddinggemma-300m-qat-q8_0-GGUF/embeddinggemma-300m-qat-Q8_0.gguf';

/** A file of a Hugging Face repository, by its path or by its quantization. */
export interface HubReference {
  readonly kind: 'hub';
  /** `user/name`. */
  readonly repository: string;
  /** A branch, a tag or a commit. */
  readonly revision: string;
  readonly file:
    | { readonly path: string }
    /** `Q8_0`; which file that is, the repository has to be asked. */
    | { readonly quantization: string };
  /** The reference as written, in one spelling. */
  readonly name: string;
}

/** A model by any address. */
export interface UrlReference {
  readonly kind: 'url';
  readonly url: string;
  /** The address without what may be secret in it: user, password and query. */
  readonly name: string;
}

/** A file that is there, or should be. */
export interface FileReference {
  readonly kind: 'file';
  /** Absolute. */
  readonly path: string;
  /** Its last part. */
  readonly name: string;
}

/** A model that is downloaded. */
export type RemoteReference = HubReference | UrlReference;

/** What `local.modelPath` names. */
export type ModelReference = FileReference | RemoteReference;

/**
 * Reads `local.modelPath`: an absolute path, an http(s) address, or
 *
 * - `hf:user/repo/path/file.gguf`, with `#revision` where another than `main` is meant
 * - `hf:user/repo:Q8_0`, the file of that quantization
 *
 * @param modelPath undefined means the default model
 * @throws VendorFault for an `hf:` reference of another form
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
  throw badReference(text, `write hf:user/repo/file.gguf or hf:user/repo:Q8_0`);
}

function parseUrl(text: string): UrlReference {
  if (!URL.canParse(text))
    throw badReference(text, 'write a whole http(s) address of a .gguf file');
  const url = new URL(text);
  refuseSplit(url.pathname);
  // Two addresses that differ in their query alone may be two models.
  const query = url.search === '' ? '' : `#${hashOf(url.search).slice(0, 8)}`;
  return { kind: 'url', url: url.href, name: `${url.origin}${url.pathname}${query}` };
}

/** Large models come in numbered parts, embedding models do not. */
function refuseSplit(path: string): void {
  if (/-\d{5}-of-\d{5}\.gguf$/iu.test(path)) {
    throw badReference(basename(path), 'name a model that is one file, not a part of one');
  }
}

function badReference(text: string, hint: string): VendorFault {
  return new VendorFault({
    kind: 'setup',
    message: `local.modelPath ${JSON.stringify(withoutSecrets(text))} names no model`,
    hint,
  });
}

/** What of an address may be shown. */
function withoutSecrets(text: string): string {
  return text.replace(/\/\/[^/@]*@/u, '//').replace(/\?[^#]*/u, '');
}

const MAX_STEM = 80;

/**
 * The name under which a downloaded model is kept: readable, and made from the whole reference, so
 * that two references that end alike never share a file.
 */
export function cacheFileName(reference: RemoteReference): string {
  const whole = reference.kind === 'url' ? reference.url : reference.name;
  const last = reference.kind === 'url' ? new URL(whole).pathname : whole.replace(/#.*$/u, '');
  const stem = basename(last)
    .replace(/\.gguf$/iu, '')
    .replaceAll(/[^\w.-]+/gu, '-')
    .slice(0, MAX_STEM);
  return `${stem === '' ? 'model' : stem}-${hashOf(whole).slice(0, 12)}.gguf`;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
