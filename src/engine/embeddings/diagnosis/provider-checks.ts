import { leadsToLoopback } from '../../config/loopback.js';
import { messageOf, SvcError } from '../../errors/index.js';
import { ADAPTER_FACTS } from '../adapter-facts.js';
import type { ProviderChoice } from '../choose-provider.js';
import { credentialView } from '../credential-view.js';
import type { EmbeddingAdapter } from '../embedding-adapter.js';
import { secretReader } from '../provider-secrets.js';
import { whyChosen } from '../why-chosen.js';
import { connectTo } from './connect.js';
import type { CheckOutcome } from './events.js';
import type { DiagnosedProvider, DiagnosisSubject } from './subject.js';

/** Which provider the settings lead to, and by what. */
export async function checkSelected(subject: DiagnosisSubject): Promise<CheckOutcome> {
  const { primary, settings, world, locate, scope } = subject;
  if (primary === undefined) return nothingSelected(subject);
  const { choice } = primary;
  const text = nameOf(choice);
  if (scope === 'named') return { state: 'ok', text, note: 'as asked' };
  const reason = whyChosen(choice, settings, world);
  if (reason.kind === 'sign') return { state: 'ok', text, note: `auto: ${reason.sign}` };
  const written = await locate(['memorySearch', ...reason.key.split('.')]);
  if (written === undefined) return { state: 'ok', text, note: `memorySearch.${reason.key}` };
  return { state: 'ok', text, note: written.path, location: written.location };
}

async function nothingSelected({ settings, locate }: DiagnosisSubject): Promise<CheckOutcome> {
  const text = 'none: memory is searched by words alone';
  if (settings.provider === 'auto') {
    const mend = 'svc provider list says what each provider needs';
    return { state: 'off', text, note: 'auto found none', mend };
  }
  const written = await locate(['memorySearch', 'provider']);
  if (written === undefined) return { state: 'off', text, note: 'memorySearch.provider' };
  return { state: 'off', text, note: written.path, location: written.location };
}

/** `corp (openai)`, or `openai`. */
function nameOf({ provider, adapter }: ProviderChoice): string {
  return provider === adapter ? provider : `${provider} (${adapter})`;
}

/** Where the key is, and whether it can be read; tells its length and never the key. */
export async function checkKey(
  { choice }: DiagnosedProvider,
  { settings, world, locate }: DiagnosisSubject,
  signal: AbortSignal,
): Promise<CheckOutcome> {
  const view = credentialView(choice, settings, world);
  const { credential } = choice;
  if (view.state === 'not_needed') return { state: 'ok', text: 'none needed' };
  if (view.state === 'missing') {
    // Where no key is needed there are further ways to one, that only the provider's code knows.
    const state = credential.state === 'not_needed' ? 'warning' : 'failed';
    const mend = view.mend === null ? {} : { mend: view.mend };
    return { state, text: 'none', code: 'PROVIDER_AUTH', cause: 'there is no key', ...mend };
  }
  const text = view.source ?? '';
  if (credential.state !== 'found') return { state: 'ok', text };
  const written = await locate(keyPath(credential.source, choice));
  const at = written === undefined ? {} : { location: written.location };
  try {
    const { length } = await secretReader(world, signal)(credential.input);
    const note = `set, ${length} character${length === 1 ? '' : 's'}`;
    return { state: 'ok', text, note, ...at };
  } catch (error) {
    signal.throwIfAborted();
    return { ...failure(text, error), ...at };
  }
}

function keyPath(source: string, { provider }: ProviderChoice): readonly string[] {
  return source === 'remote.apiKey'
    ? ['memorySearch', 'remote', 'apiKey']
    : ['models', 'providers', provider, 'apiKey'];
}

/** Whether the address answers at all, how quickly, and whether what is sent there is encrypted. */
export async function checkEndpoint(
  endpoint: string,
  hasKey: boolean,
  signal: AbortSignal,
): Promise<CheckOutcome> {
  if (!URL.canParse(endpoint)) return { state: 'ok', text: endpoint, note: 'in this process' };
  const url = new URL(endpoint);
  try {
    const { latencyMs, tls } = await connectTo(url, signal);
    if (tls) return { state: 'ok', text: endpoint, note: 'TLS ok', latencyMs };
    const found = { text: endpoint, note: 'no TLS', latencyMs };
    if (!hasKey || leadsToLoopback(url)) return { state: 'ok', ...found };
    const cause = 'the key and the texts go over the network unencrypted';
    return { state: 'warning', ...found, cause, mend: 'use an https address' };
  } catch (error) {
    signal.throwIfAborted();
    return failure(endpoint, error);
  }
}

/** Really embeds a word. */
export async function checkEmbed(
  adapter: EmbeddingAdapter,
  signal: AbortSignal,
): Promise<CheckOutcome> {
  try {
    const { dimensions, latencyMs } = await adapter.probe({ signal });
    return { state: 'ok', text: adapter.model, dimensions, latencyMs };
  } catch (error) {
    signal.throwIfAborted();
    return failure(adapter.model, error);
  }
}

/** Whether passages go through the vendor's batch API. */
export async function checkBatch(
  { choice }: DiagnosedProvider,
  { settings, locate }: DiagnosisSubject,
): Promise<CheckOutcome> {
  const offered = ADAPTER_FACTS[choice.adapter].batch;
  const enabled = choice.isPrimary && settings.remote.batch.enabled;
  if (!enabled) {
    const note = offered ? 'offered: memorySearch.remote.batch.enabled' : 'not offered';
    return { state: 'off', text: 'off', note };
  }
  if (offered) return { state: 'ok', text: 'on' };
  const written = await locate(['memorySearch', 'remote', 'batch', 'enabled']);
  return {
    state: 'warning',
    text: 'not offered',
    cause: `${choice.adapter} has no batch API: passages are embedded inline`,
    mend: 'set remote.batch.enabled to false',
    ...(written === undefined ? {} : { location: written.location }),
  };
}

/** Opens the fallback and embeds a word with it. */
export async function checkFallback(
  fallback: DiagnosedProvider | undefined,
  primary: DiagnosedProvider,
  signal: AbortSignal,
): Promise<CheckOutcome> {
  if (fallback === undefined) return { state: 'off', text: 'none' };
  const text = nameOf(fallback.choice);
  if (fallback.choice.provider === primary.choice.provider) {
    const cause = 'it is the provider itself, and would fail with it';
    return { state: 'warning', text, cause, mend: 'set memorySearch.fallback to another' };
  }
  try {
    const adapter = await fallback.open(signal);
    const { dimensions, latencyMs } = await adapter.probe({ signal });
    return { state: 'ok', text, note: adapter.model, dimensions, latencyMs };
  } catch (error) {
    signal.throwIfAborted();
    return failure(text, error);
  }
}

/** A failed check: the error's code, message and hint. */
export function failure(text: string, error: unknown): CheckOutcome {
  if (!(error instanceof SvcError)) throw error;
  const { code, hint } = error;
  // Whom it is about stands beside it already.
  const cause = messageOf(error).replace(/^embedding provider \S+: /u, '');
  return { state: 'failed', text, code, cause, ...(hint === undefined ? {} : { mend: hint }) };
}
