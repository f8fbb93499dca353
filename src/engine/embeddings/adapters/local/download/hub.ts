import { sendRequest } from '../../../http/http-client.js';
import { parseAnswer } from '../../../http/parse-answer.js';
import { jsonAt } from '../../../http/status-fault.js';
import type { Pacing } from '../../../requests/pacer.js';
import { VendorFault } from '../../../vendor-fault.js';
import type { HubReference } from '../model-reference.js';
import type { LinkedFile } from './open-download.js';

/** Hugging Face, or a mirror of it. */
export interface Hub {
  /** Without a slash at the end. */
  readonly endpoint: string;
  /** For the endpoint alone. */
  readonly headers: Readonly<Record<string, string>>;
}

const ENDPOINT = 'https://huggingface.co';

/**
 * The hub that the environment names: `HF_ENDPOINT`, and `HF_TOKEN` for models with terms
 * (huggingface.co/docs/huggingface_hub, "Environment variables").
 */
export function hubOf(env: Readonly<Record<string, string | undefined>>): Hub {
  const set = env['HF_ENDPOINT']?.trim();
  const endpoint = set === undefined || !URL.canParse(set) ? ENDPOINT : set.replace(/\/+$/u, '');
  const token = env['HF_TOKEN']?.trim();
  const headers = token === undefined || token === '' ? {} : { authorization: `Bearer ${token}` };
  return { endpoint, headers };
}

/** Where a file of a repository is served. */
export interface HubFile {
  readonly url: string;
  /** As the repository lists it. */
  readonly expected: LinkedFile;
}

/** How the hub is asked. */
export interface AskHubOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly pacing: Pacing;
}

/** Finds the address of a referenced file; asks the hub only for a quantization. @throws VendorFault */
export async function hubFile(
  reference: HubReference,
  hub: Hub,
  options: AskHubOptions,
): Promise<HubFile> {
  const { repository, revision, file } = reference;
  if ('path' in file) {
    return { url: resolveUrl(hub, repository, revision, file.path), expected: {} };
  }
  const files = await listFiles(reference, hub, options);
  const chosen = chooseFile(files, file.quantization);
  if (chosen === undefined) {
    const there = files.map(({ path }) => path).join(', ');
    throw new VendorFault({
      kind: 'model',
      message: `${repository} has no single GGUF file of ${file.quantization}`,
      hint:
        there === ''
          ? 'choose a repository that has GGUF files'
          : `name one of its files: ${there}`,
    });
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
  options: AskHubOptions,
): Promise<readonly ListedFile[]> {
  const answer = await sendRequest(
    {
      method: 'GET',
      url: `${hub.endpoint}/api/models/${repository}/tree/${encodeURIComponent(revision)}?recursive=true`,
      headers: hub.headers,
      ...options,
    },
    ({ status }) => ({
      hint:
        status === 401 || status === 404
          ? `check the name ${repository}; for a private model or one with terms set HF_TOKEN`
          : 'try again later, or name the file itself',
    }),
  );
  const entries = parseAnswer(answer);
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

/** The file whose name ends in the quantization; of several the one with the shortest path. */
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
