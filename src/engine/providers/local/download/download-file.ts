import { createHash } from 'node:crypto';
import { createReadStream, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type FileHandle, open, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod/mini';
import { messageOf, systemErrorCode, systemReason } from '../../../errors/index.js';
import { closing } from '../../../support/async.js';
import { makeFolders, syncFile } from '../../../support/files.js';
import { formatBytes } from '../../../support/format.js';
import { readJsonFile } from '../../../support/json-file.js';
import type { AnswerHeaders } from '../../http/status-fault.js';
import { type Pacing, withRetries } from '../../requests/pacer.js';
import { VendorFault } from '../../vendor-fault.js';
import { beginsLikeGguf } from '../gguf-header.js';
import { checkModelFile } from '../model.js';
import {
  type DownloadLimits,
  type LinkedFile,
  lengthOf,
  type OpenedDownload,
  openDownload,
} from './open-download.js';

export interface FileDownload {
  readonly url: string;
  /** Absolute path; the file only appears there complete and verified. */
  readonly path: string;
  /** Sent to the host of `url` only. */
  readonly secretHeaders: Readonly<Record<string, string>>;
  /** As listed by its host, if known. */
  readonly expected: LinkedFile;
  readonly limits: DownloadLimits;
  readonly pacing: Pacing;
  readonly signal: AbortSignal;
  /** `total` is undefined if the host does not report it. */
  readonly onProgress: (bytes: number, total: number | undefined) => void;
}

/**
 * Downloads a file, resuming an earlier try if the host still has the same file, and verifies its
 * length, its first bytes and, if known, its SHA-256.
 *
 * @throws VendorFault, the system's error, or the signal's reason; the partial file is kept for the next try
 */
export async function downloadFile(download: FileDownload): Promise<void> {
  const part = partFile(download.path, download.url);
  makeFolders(dirname(download.path));
  try {
    await withRetries(download.pacing, download.signal, () => transfer(download, part));
  } catch (error) {
    if (!(error instanceof VendorFault) || part.size() === 0) throw error;
    throw error.with({
      hint: `${error.details.hint ?? 'try again'}; the partial download is kept`,
    });
  }
  await verify(part, download);
  syncFile(part.path);
  renameSync(part.path, download.path);
  part.forgetOrigin();
}

async function transfer(download: FileDownload, part: PartFile): Promise<void> {
  const origin = part.origin();
  if (origin?.bytes !== undefined && origin.bytes === part.size()) return;
  const { url, secretHeaders, limits, signal } = download;
  const rangeHeaders = (linked: LinkedFile) =>
    part.rangeHeaders({ ...download.expected, ...linked });
  using opened = closing(await openDownload({ url, secretHeaders, rangeHeaders, limits, signal }));
  await write(opened, download, part);
}

async function write(
  opened: OpenedDownload,
  download: FileDownload,
  part: PartFile,
): Promise<void> {
  const { status, headers } = opened;
  const linked = { ...download.expected, ...opened.linked };
  const range = status === 206 ? contentRange(headers) : undefined;
  const resumed = range?.first === part.size();
  if (status !== 200 && !resumed) {
    part.discard();
    throw new VendorFault('network', 'the host no longer has the same file');
  }
  const total =
    (status === 200 ? lengthOf(headers['content-length']) : range?.total) ?? linked.bytes;
  if (total === 0) throw noModelThere(download);
  if (!resumed) {
    part.begin({ validator: validatorOf(headers), sha256: linked.sha256, bytes: total });
  }
  let bytes = part.size();
  await checkSpace(download.path, (total ?? 0) - bytes);
  const file = await open(part.path, 'a');
  try {
    download.onProgress(bytes, total);
    let head: Buffer | undefined = bytes === 0 ? Buffer.alloc(0) : undefined;
    for await (const chunk of opened.body) {
      head = checkHead(head, chunk, download);
      await writeAll(file, chunk);
      bytes += chunk.length;
      download.onProgress(bytes, total);
    }
  } finally {
    await file.close();
  }
  if (bytes === total || (total === undefined && bytes > 0)) return;
  if (total !== undefined && bytes > total) part.discard();
  throw new VendorFault('network', `the download ended after ${bytes} of ${total ?? '?'} bytes`, {
    hint: 'try again',
  });
}

/**
 * Detects a sign-in page or disguised error by its first bytes. @returns the first bytes while
 * there are too few, else undefined
 */
function checkHead(
  head: Buffer | undefined,
  chunk: Buffer,
  download: FileDownload,
): Buffer | undefined {
  if (head === undefined) return undefined;
  const begin = Buffer.concat([head, chunk.subarray(0, 4)]);
  const fits = beginsLikeGguf(begin);
  if (fits === false) throw noModelThere(download);
  return fits === undefined ? begin : undefined;
}

function noModelThere({ url }: FileDownload): VendorFault {
  return new VendorFault('answer', `${new URL(url).host} does not serve a GGUF file`, {
    hint: 'check memorySearch.local.modelPath, and that no proxy or sign-in page answers instead',
  });
}

async function writeAll(file: FileHandle, chunk: Buffer): Promise<void> {
  for (let from = 0; from < chunk.length; ) {
    from += (await file.write(chunk, from)).bytesWritten;
  }
}

async function checkSpace(path: string, missing: number): Promise<void> {
  const { bavail, bsize } = await statfs(dirname(path));
  if (bavail * bsize >= missing) return;
  throw diskFull(`${formatBytes(missing)} more needed, ${formatBytes(bavail * bsize)} free`);
}

/** Checks the whole file: what is in place is taken for the model from then on. */
async function verify(part: PartFile, { signal, url }: FileDownload): Promise<void> {
  const refused = (why: string, cause?: unknown): VendorFault => {
    part.discard();
    const hint = 'try again; the file was discarded';
    return new VendorFault('answer', `the file from ${new URL(url).host} ${why}`, { hint, cause });
  };
  const sha256 = part.origin()?.sha256;
  if (sha256 !== undefined) {
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(part.path, { signal, highWaterMark: 1 << 20 })) {
      hash.update(chunk);
    }
    if (hash.digest('hex') !== sha256) throw refused('has the wrong SHA-256');
  }
  try {
    checkModelFile(part.path);
  } catch (error) {
    throw refused('is not a whole GGUF model', error);
  }
}

/** Converts a file system error. @param path of the model */
export function asDiskFault(error: unknown, path: string): unknown {
  const code = systemErrorCode(error);
  if (error instanceof VendorFault || code === undefined) return error;
  if (code === 'ENOSPC' || code === 'EDQUOT') return diskFull(messageOf(error));
  return new VendorFault('setup', `cannot write the model to ${path}: ${systemReason(error)}`, {
    code,
    hint: "check the folder's permissions, or choose another with memorySearch.local.modelCacheDir",
    cause: error,
  });
}

function diskFull(what: string): VendorFault {
  return new VendorFault('setup', `not enough disk space for the model: ${what}`, {
    hint: 'free some space, or choose another folder with memorySearch.local.modelCacheDir',
  });
}

/** The file that a partial download belongs to. */
const partOrigin = z.object({
  url: z.string(),
  /** A strong `ETag` or `Last-Modified`, for `If-Range`. */
  validator: z.optional(z.string()),
  sha256: z.optional(z.string()),
  /** Size of the whole file. */
  bytes: z.optional(z.number()),
});
type PartOrigin = Readonly<z.infer<typeof partOrigin>>;

type PartFile = ReturnType<typeof partFile>;

/** A partial download, with a JSON file about its origin. @param finalPath path of the complete file */
function partFile(finalPath: string, url: string) {
  const path = `${finalPath}.part`;
  const notePath = `${path}.json`;
  const size = (): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  /** Undefined if unknown; then the partial file cannot be used. */
  const origin = (): PartOrigin | undefined => {
    const { data } = partOrigin.safeParse(readJsonFile(notePath));
    return data?.url === url ? data : undefined;
  };
  /** Removes only the JSON file, when the download is complete. */
  const forgetOrigin = (): void => rmSync(notePath, { force: true });
  return {
    path,
    size,
    origin,
    forgetOrigin,
    /** Starts over, discarding an earlier part. */
    begin: (begun: Omit<PartOrigin, 'url'>): void => {
      writeFileSync(path, '', { mode: 0o600 });
      // Private, since URLs may contain a key in their query.
      writeFileSync(notePath, JSON.stringify({ url, ...begun }), { mode: 0o600 });
    },
    discard: (): void => {
      rmSync(path, { force: true });
      forgetOrigin();
    },
    /** Headers that request the rest, if the host still has the same file. */
    rangeHeaders: (linked: LinkedFile): Readonly<Record<string, string>> => {
      const known = origin();
      if (size() === 0 || known === undefined) return {};
      const range = { range: `bytes=${size()}-` };
      if (known.sha256 !== undefined && linked.sha256 !== undefined) {
        return known.sha256 === linked.sha256 ? range : {};
      }
      return known.validator === undefined ? {} : { ...range, 'if-range': known.validator };
    },
  };
}

/** A strong entity tag or a date, for `If-Range` (RFC 9110 §13.1.5). */
function validatorOf(headers: AnswerHeaders): string | undefined {
  const etag = headers['etag'];
  if (typeof etag === 'string' && etag.startsWith('"')) return etag;
  const date = headers['last-modified'];
  return typeof date === 'string' ? date : undefined;
}

/** Reads `Content-Range: bytes first-last/total`. */
function contentRange(headers: AnswerHeaders) {
  const text = headers['content-range'];
  const match = typeof text === 'string' ? /^bytes (\d+)-\d+\/(\d+|\*)$/u.exec(text) : null;
  if (match === null) return undefined;
  return { first: Number(match[1]), total: match[2] === '*' ? undefined : Number(match[2]) };
}
