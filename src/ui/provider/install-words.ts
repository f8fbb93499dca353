import type { InstallEvent } from '../../engine/install/install-packages.js';
import type { InstallDocumentsOutput } from '../../engine/memory/output-schemas.js';
import type { EmbeddingEvent } from '../../engine/providers/embedding-event.js';
import type { InstallLocalOutput } from '../../engine/providers/local/output-schemas.js';
import { formatBytes, formatDuration, formatEta } from '../../engine/support/format.js';
import { safeLine, shownPath } from '../safe-text.js';

/** Progress of long work: `key` changes with the kind of work, `text` with every event. */
export interface WorkNote {
  readonly key: string;
  readonly text: string;
}

export function installNote(event: InstallEvent, elapsedMs: number): WorkNote {
  switch (event.type) {
    case 'install.waiting':
      return { key: 'waiting', text: 'another process is installing it; waiting' };
    case 'install.started':
      return { key: 'npm', text: `npm is installing ${event.package} ${event.version}` };
    case 'install.grew': {
      const grown = event.bytes < 1e6 ? '' : `${formatBytes(event.bytes)}, `;
      return {
        key: 'npm',
        text: `npm is installing ${event.package}: ${grown}${formatDuration(elapsedMs)}`,
      };
    }
    case 'install.checking':
      return { key: 'checking', text: 'checking that it loads' };
  }
}

/** Progress of getting a model; undefined for other events. */
export function modelNote(event: EmbeddingEvent): WorkNote | undefined {
  switch (event.type) {
    case 'model.waiting':
      return { key: 'waiting', text: 'another process is downloading it; waiting' };
    case 'model.download':
      return downloadNote(event);
    case 'request.retried':
      return {
        key: `retry ${event.why}`,
        text: `${safeLine(event.why)}; retrying in ${formatDuration(event.waitMs)}`,
      };
    case 'rate.limited':
      return { key: 'rate', text: `rate limited; waiting ${formatDuration(event.waitMs)}` };
    default:
      return undefined;
  }
}

type Download = Extract<EmbeddingEvent, { readonly type: 'model.download' }>;

export function downloadNote(event: Download): WorkNote {
  return { key: `download ${tenth(event)}`, text: downloadText(event) };
}

/** Plain output prints one line per tenth. */
function tenth({ bytes, total }: Download): number {
  return total === undefined ? 0 : Math.floor((bytes / total) * 10);
}

function downloadText({ bytes, total, bytesPerSecond }: Download): string {
  if (total === undefined) return `${formatBytes(bytes)}${rate(bytesPerSecond)}`;
  const percent = `${Math.floor((bytes / total) * 100)} %`;
  const left =
    bytesPerSecond === undefined || bytesPerSecond === 0
      ? ''
      : `, ${formatEta(((total - bytes) / bytesPerSecond) * 1000)} left`;
  return `${percent} of ${formatBytes(total)}${rate(bytesPerSecond)}${left}`;
}

function rate(bytesPerSecond: number | undefined): string {
  return bytesPerSecond === undefined ? '' : `, ${formatBytes(bytesPerSecond)}/s`;
}

type Installation = InstallDocumentsOutput['library'];

/** The result of installing or removing the runtime. @param computesWith null if an installation found no usable GPU */
export function runtimeWords(
  { gpu, ...runtime }: InstallLocalOutput['runtime'],
  computesWith: string | null | undefined,
  homeDir: string,
): string {
  const variants = gpu ? ' with GPU variants' : '';
  const hasNoDevice = runtime.outcome === 'installed' && gpu && computesWith === null;
  const device = hasNoDevice ? '; no usable GPU found, using the CPU' : '';
  return installationWords(runtime, 'runtime', ['node-llama-cpp', variants], homeDir) + device;
}

/** The result of installing or removing the library for a kind of document. */
export function libraryWords(library: Installation, homeDir: string): string {
  return installationWords(library, 'library', ['unpdf', ''], homeDir);
}

function installationWords(
  { outcome, version, folder, bytes }: Installation,
  kind: 'library' | 'runtime',
  [name, variants]: readonly [name: string, variants: string],
  homeDir: string,
): string {
  const what = `${name} ${version ?? ''}`;
  const where = folder === null ? '' : ` in ${shownPath(folder, homeDir)}`;
  return {
    absent: `the ${kind} is not installed`,
    removed: `removed ${what} (${formatBytes(bytes)})`,
    already: `${what}${variants} is already installed${where}`,
    installed: `installed ${what}${variants} (${formatBytes(bytes)})${where}`,
  }[outcome];
}

/** The result of downloading the model. */
export function modelOutcomeWords(
  { name, path, bytes, outcome }: NonNullable<InstallLocalOutput['model']>,
  homeDir: string,
): string {
  const where = shownPath(path, homeDir);
  return outcome === 'downloaded'
    ? `downloaded ${safeLine(name)} (${formatBytes(bytes)}) to ${where}`
    : `${safeLine(name)} (${formatBytes(bytes)}) is already on disk: ${where}`;
}
