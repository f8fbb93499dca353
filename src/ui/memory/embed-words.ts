import type { SyncEvent } from '../../engine/memory/sync/events.js';
import { formatBytes, formatCount, formatCountOf, formatShortCount } from '../format.js';
import { modelNote } from '../provider/install-words.js';
import { safeLine } from '../safe-text.js';
import { batchDone, type EmbedProgress } from './embed-progress.js';

type ProviderEvent = Extract<SyncEvent, { readonly type: 'embed.provider' }>['event'];

/** Who embeds, and what is under way there: `openai · 24 requests`. */
export function embedWorkWords({ provider, requests, batch, download }: EmbedProgress): string {
  const who = safeLine(provider);
  if (download !== undefined) {
    const { bytes, total } = download;
    const part =
      total === undefined ? formatBytes(bytes) : `${Math.floor((bytes / total) * 100)} %`;
    return `downloading the model · ${part}`;
  }
  if (batch !== undefined && batch.ended < batch.jobs) {
    const jobs = `${formatCount(batch.ended)} of ${formatCountOf(batch.jobs, 'job')}`;
    return `${who} · ${jobs}`;
  }
  return requests === 0 ? who : `${who} · ${formatCountOf(requests, 'request')}`;
}

/** What was not embedded because it is known, what it took, and what slows it down. */
export function embedDetailWords(progress: EmbedProgress): string {
  const { known, tokens, limit, batch, insteadOf } = progress;
  const parts = [
    insteadOf === undefined ? '' : `instead of ${safeLine(insteadOf)}`,
    known === 0 ? '' : `cache ${formatCountOf(known, 'hit')}`,
    tokens === 0 ? '' : `${formatShortCount(tokens)} tokens`,
    batch === undefined
      ? ''
      : `batch ${formatCount(batchDone(batch))}/${formatCount(batch.inputs)}`,
    limit === undefined ? '' : `429: slowed to ${perSecondWords(limit.perSecond)}`,
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

/** `1 req/s`, `0.2 req/s`. */
function perSecondWords(perSecond: number): string {
  const figure = perSecond >= 9.95 ? formatCount(perSecond) : perSecond.toFixed(1);
  return `${figure.replace(/\.0$/u, '')} req/s`;
}

/** A provider's event as a plain line; undefined for what is told by the progress. */
export function providerEventWords(
  event: ProviderEvent,
  provider: string,
  verbose: boolean,
): string | undefined {
  const who = safeLine(provider);
  switch (event.type) {
    case 'request.finished':
      return undefined;
    case 'rate.limited':
      return `${who} asks for fewer requests: slowed to ${perSecondWords(event.perSecond)}`;
    case 'request.retried':
      return verbose ? `${who}: sent again after "${safeLine(event.why)}"` : undefined;
    case 'model.waiting':
      return `${who}: another process downloads the model`;
    case 'model.download':
      return `${who} downloads its model: ${modelNote(event)?.text ?? ''}`;
    case 'batch.submitted': {
      const what = event.resumed ? 'goes on with a batch job' : 'was given a batch job';
      return `${who} ${what} of ${formatCountOf(event.inputs, 'passage')}`;
    }
    case 'batch.progress':
      return verbose && event.done !== undefined
        ? `${who}: ${formatCount(event.done)} of ${formatCount(event.total)} of a batch job done`
        : undefined;
    case 'batch.ended': {
      const left = event.left === 0 ? '' : `, ${formatCount(event.left)} left to embed inline`;
      const why = event.why === undefined ? '' : `: ${safeLine(event.why)}`;
      return `${who}: a batch job ended with ${formatCountOf(event.embedded, 'vector')}${left}${why}`;
    }
    case 'batch.off':
      return `${who}: no more batch jobs, the rest is embedded inline: ${safeLine(event.why)}`;
    case 'batch.pending': {
      const jobs = formatCountOf(event.jobs, 'batch job');
      return `${who} works on ${jobs}, ${formatCountOf(event.inputs, 'passage')}: a later run collects them`;
    }
  }
}
