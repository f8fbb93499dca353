import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { messageOf, systemErrorCode } from '../../../errors/index.js';
import type { ProviderSettings } from '../../provider-settings.js';
import { VendorFault } from '../../vendor-fault.js';
import { cacheFileName, type ModelReference, parseModelReference } from './model-reference.js';

/** Where the configured model is, or would be. */
export type ModelFileState =
  | { readonly present: true; readonly path: string; readonly bytes: number }
  /** `path`: where it belongs; `remote`: whether it can be downloaded. */
  | { readonly present: false; readonly path: string; readonly remote: boolean };

/**
 * Whether the model is on this disk; asks nothing else. A downloaded file lies under its name only
 * once it is complete and checked.
 *
 * @throws VendorFault when `modelPath` names no model
 */
export function modelFileState(
  settings: Pick<ProviderSettings['local'], 'modelCacheDir' | 'modelPath'>,
): ModelFileState {
  const reference = parseModelReference(settings.modelPath);
  const path = modelPathOf(reference, settings.modelCacheDir);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isFile() === true) return { present: true, path, bytes: stat.size };
  return { present: false, path, remote: reference.kind !== 'file' };
}

/** The absolute path at which a model lies, or will. */
export function modelPathOf(reference: ModelReference, modelCacheDir: string): string {
  return reference.kind === 'file' ? reference.path : join(modelCacheDir, cacheFileName(reference));
}

/** What is looked at of a file, at its beginning, its end and between, to tell it from others. */
const SAMPLE_BYTES = 64 * 1024;
const SAMPLES = 5;

/**
 * The identity of a model file: its name and a fingerprint of its size and five parts of its
 * content. Another file under the same name is another model; reading all of it would take seconds.
 *
 * @throws VendorFault when it cannot be read
 */
export function fileIdentity(path: string): string {
  return reading(path, (file, size) => {
    const hash = createHash('sha256').update(String(size));
    const sample = Buffer.alloc(Math.min(SAMPLE_BYTES, size));
    for (let part = 0; part < SAMPLES; part++) {
      const from = Math.floor(((size - sample.length) * part) / (SAMPLES - 1));
      const read = readSync(file, sample, 0, sample.length, from);
      hash.update(sample.subarray(0, read));
    }
    return `${basename(path)}@${hash.digest('hex').slice(0, 16)}`;
  });
}

const MAGIC = 'GGUF';
/** Magic, version, number of tensors, number of keys (GGUF specification, "File structure"). */
const HEADER_BYTES = 24;
const VERSIONS: readonly number[] = [2, 3];

/** Whether bytes begin like a GGUF file; undefined while there are too few of them to tell. */
export function beginsLikeGguf(bytes: Buffer): boolean | undefined {
  if (bytes.length < MAGIC.length) return undefined;
  return bytes.toString('latin1', 0, MAGIC.length) === MAGIC;
}

/**
 * Looks whether a file can be a model before it is given to native code, which may end the process
 * over one that is not.
 *
 * @throws VendorFault
 */
export function checkModelFile(path: string): void {
  reading(path, (file, size) => {
    const header = Buffer.alloc(HEADER_BYTES);
    const read = readSync(file, header, 0, HEADER_BYTES, 0);
    if (beginsLikeGguf(header.subarray(0, read)) !== true) {
      throw notAModel(path, 'it is no GGUF file');
    }
    const version = header.readUInt32LE(4);
    if (read === HEADER_BYTES && !VERSIONS.includes(version)) {
      throw notAModel(path, `its GGUF version is ${version}`);
    }
    const tensors = header.readBigUInt64LE(8);
    const keys = header.readBigUInt64LE(16);
    // A tensor and a key take some 32 and 13 bytes at the very least.
    if (tensors === 0n || keys === 0n || tensors * 32n + keys * 13n > BigInt(size)) {
      throw notAModel(path, 'it is damaged or cut off');
    }
  });
}

/** The fault of a file that no model can be loaded from. */
export function notAModel(path: string, why: string): VendorFault {
  return new VendorFault({
    kind: 'setup',
    message: `the model ${path} cannot be used: ${why}`,
    hint: 'delete the file and run "svc provider install local" if it was downloaded; else point local.modelPath at a GGUF embedding model',
  });
}

/** The fault of a configured file that is not there. */
export function modelMissing(path: string): VendorFault {
  return new VendorFault({
    kind: 'setup',
    message: `there is no model file at ${path}`,
    hint: 'correct memorySearch.local.modelPath, or remove it to use the default model',
  });
}

function reading<T>(path: string, read: (file: number, size: number) => T): T {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const stat = fstatSync(file);
    if (!stat.isFile()) throw notAModel(path, 'it is no file');
    return read(file, stat.size);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') throw modelMissing(path);
    if (systemErrorCode(error) !== undefined) throw notAModel(path, messageOf(error));
    throw error;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
