import { statSync } from 'node:fs';
import { join } from 'node:path';
import { withProcessLock } from '../../../sqlite/process-lock.js';
import { runningMs } from '../../../support/time.js';
import type { EmbeddingEvent } from '../../embedding-event.js';
import { parseAnswer, sendRequest } from '../../http/http-client.js';
import { jsonAt } from '../../http/status-fault.js';
import { asProviderError } from '../../provider-error.js';
import { createPacer, PATIENT, type Pacing } from '../../requests/pacer.js';
import type { ProviderSettings, VendorCall } from '../../vendor.js';
import { shownAddress, VendorFault, withoutEndSlashes } from '../../vendor-fault.js';
import {
  cacheFileName,
  checkModelFile,
  type HubReference,
  isDownloaded,
  modelPathOf,
  parseModelReference,
  type RemoteReference,
} from '../model.js';
import type { InstallLocalOutput } from '../output-schemas.js';
import { asDiskFault, downloadFile, type FileDownload } from './download-file.js';
import type { DownloadLimits, LinkedFile } from './open-download.js';

/**
 * Downloads the configured model unless it is on disk.
 *
 * @throws SvcError PROVIDER_*; the signal's reason
 */
export async function ensureModel({
  local,
  ...options
}: {
  readonly local: Pick<ProviderSettings['local'], 'modelCacheDir' | 'modelPath'>;
} & Pick<DownloadModelOptions, 'env' | 'onEvent' | 'signal'>): Promise<
  NonNullable<InstallLocalOutput['model']>
> {
  const { modelCacheDir, modelPath } = local;
  try {
    const reference = parseModelReference(modelPath);
    // A try continues where the last one ended.
    const rules = { ...PATIENT, maxTimeouts: PATIENT.maxTries };
    const pacing = createPacer().pacing(rules, options.onEvent);
    const { downloaded } =
      reference.kind === 'file'
        ? { downloaded: false }
        : await downloadModel(reference, { ...options, modelCacheDir, pacing });
    const path = modelPathOf(reference, modelCacheDir);
    checkModelFile(path);
    const outcome = downloaded ? 'downloaded' : 'already';
    return { outcome, name: reference.name, path, bytes: statSync(path).size };
  } catch (error) {
    options.signal.throwIfAborted();
    throw asProviderError(error, { provider: 'local' });
  }
}

export interface DownloadModelOptions {
  readonly modelCacheDir: string;
  /** For `HF_ENDPOINT` and `HF_TOKEN`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly pacing: Pacing;
  readonly signal: AbortSignal;
  readonly onEvent: (event: EmbeddingEvent) => void;
  readonly limits?: DownloadLimits;
}

const LIMITS: DownloadLimits = { connectMs: 15_000, idleMs: 30_000 };

/**
 * Downloads a model unless it is on disk. A lock keeps two processes from downloading the same one.
 *
 * @returns `downloaded`: false if it was on disk already
 * @throws VendorFault, or the signal's reason; the partial file is kept for the next try
 */
export async function downloadModel(reference: RemoteReference, options: DownloadModelOptions) {
  const { modelCacheDir, signal, onEvent } = options;
  const name = cacheFileName(reference);
  const path = join(modelCacheDir, name);
  if (isDownloaded(path)) return { path, downloaded: false };
  const lockFile = join(modelCacheDir, '.locks', name);
  const onWait = (): void => onEvent({ type: 'model.waiting' });
  try {
    return await withProcessLock(lockFile, { signal, onWait }, async () => {
      if (isDownloaded(path)) return { path, downloaded: false };
      const hub = hubOf(options.env);
      const { limits = LIMITS, pacing } = options;
      const source = await sourceOf(reference, hub, { signal, pacing, timeoutMs: limits.idleMs });
      const onProgress = createProgress(onEvent);
      await downloadFile({ ...source, path, limits, pacing, signal, onProgress });
      return { path, downloaded: true };
    });
  } catch (error) {
    signal.throwIfAborted();
    throw asDiskFault(error, path);
  }
}

async function sourceOf(reference: RemoteReference, hub: Hub, asking: VendorCall) {
  if (reference.kind === 'hub') {
    return { ...(await hubFile(reference, hub, asking)), secretHeaders: hub.headers };
  }
  const { url } = reference;
  const atHub = new URL(url).origin === new URL(hub.endpoint).origin;
  return { url, expected: {}, secretHeaders: atHub ? hub.headers : {} };
}

const REPORT_EVERY_MS = 200;

/** Limits progress to a few events a second, always including the first and last. */
function createProgress(onEvent: (event: EmbeddingEvent) => void): FileDownload['onProgress'] {
  let begin: { readonly atMs: number; readonly bytes: number } | undefined;
  let reported: { readonly atMs: number; readonly bytes: number } | undefined;
  return (bytes, total) => {
    const atMs = runningMs();
    // A retry may start with fewer bytes.
    if (begin === undefined || bytes < begin.bytes) begin = { atMs, bytes };
    const last = bytes === total;
    if (reported !== undefined && !last && atMs - reported.atMs < REPORT_EVERY_MS) return;
    reported = { atMs, bytes };
    const seconds = (atMs - begin.atMs) / 1000;
    const bytesPerSecond = seconds === 0 ? undefined : (bytes - begin.bytes) / seconds;
    onEvent({ type: 'model.download', bytes, total, bytesPerSecond });
  };
}

/** Hugging Face or a mirror. */
interface Hub {
  /** Without trailing slash. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
}

const ENDPOINT = 'https://huggingface.co';

/**
 * The hub from the environment: `HF_ENDPOINT`, and `HF_TOKEN` for gated models
 * (huggingface.co/docs/huggingface_hub, "Environment variables").
 */
function hubOf(env: Readonly<Record<string, string | undefined>>): Hub {
  const set = env['HF_ENDPOINT']?.trim();
  const endpoint = set === undefined || !URL.canParse(set) ? ENDPOINT : withoutEndSlashes(set);
  const token = env['HF_TOKEN']?.trim();
  const headers = token === undefined || token === '' ? {} : { authorization: `Bearer ${token}` };
  return { endpoint, headers };
}

/** The URL of a referenced file; asks the hub only for a quantization. @throws VendorFault */
async function hubFile(reference: HubReference, hub: Hub, asking: VendorCall) {
  const { repository, revision, file } = reference;
  if ('path' in file) {
    return { url: resolveUrl(hub, repository, revision, file.path), expected: {} };
  }
  const files = await listFiles(reference, hub, asking);
  const chosen = chooseFile(files, file.quantization);
  if (chosen === undefined) {
    const there = files.map(({ path }) => path).join(', ');
    throw new VendorFault(
      'model',
      `${repository} has no single GGUF file of ${file.quantization}`,
      {
        hint:
          there === ''
            ? 'choose a repository that has GGUF files'
            : `use one of its files: ${there}`,
      },
    );
  }
  const { path, expected } = chosen;
  return { url: resolveUrl(hub, repository, revision, path), expected };
}

interface ListedFile {
  readonly path: string;
  readonly expected: LinkedFile;
}

/** `GET /api/models/{repo}/tree/{revision}` (huggingface.co/docs/hub/api): `[{type, path, size, lfs}]`. */
async function listFiles(
  { repository, revision }: HubReference,
  hub: Hub,
  asking: VendorCall,
): Promise<readonly ListedFile[]> {
  const entries = await sendRequest(
    {
      method: 'GET',
      url: `${hub.endpoint}/api/models/${repository}/tree/${encodeURIComponent(revision)}?recursive=true`,
      headers: hub.headers,
      ...asking,
    },
    ({ status }) => ({
      hint:
        status === 401 || status === 404
          ? `check the name ${repository}; for a gated or private model, set HF_TOKEN`
          : 'try again later, or use the name of a file',
    }),
  )
    .then(parseAnswer)
    .catch((error: unknown) => {
      throw withHub(error, hub);
    });
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((entry: unknown) => {
    const path = jsonAt(entry, 'path');
    if (typeof path !== 'string' || !/\.gguf$/iu.test(path)) return [];
    const sha256 = jsonAt(entry, 'lfs', 'oid');
    const bytes = jsonAt(entry, 'lfs', 'size') ?? jsonAt(entry, 'size');
    const expected = {
      ...(typeof sha256 === 'string' && /^[0-9a-f]{64}$/u.test(sha256) ? { sha256 } : {}),
      ...(typeof bytes === 'number' ? { bytes } : {}),
    };
    return [{ path, expected }];
  });
}

/** The usual hint is about embeddings. */
function withHub(error: unknown, { endpoint }: Hub): unknown {
  if (!(error instanceof VendorFault) || error.details.hint !== undefined) return error;
  const hint = `check that ${shownAddress(endpoint)} is reachable, and that no proxy or sign-in page answers instead; HF_ENDPOINT sets another address`;
  return error.with({ hint });
}

/** The file whose name ends with the quantization; of several, the one with the shortest path. */
function chooseFile(files: readonly ListedFile[], quantization: string): ListedFile | undefined {
  const ending = new RegExp(`(?:^|[-._/])${quantization.replaceAll('.', '\\.')}\\.gguf$`, 'iu');
  return files
    .filter(({ path }) => ending.test(path) && !/mmproj/iu.test(path))
    .sort((a, b) => a.path.length - b.path.length || (a.path < b.path ? -1 : 1))[0];
}

function resolveUrl(hub: Hub, repository: string, revision: string, path: string): string {
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  return `${hub.endpoint}/${repository}/resolve/${encodeURIComponent(revision)}/${encoded}`;
}
