import { once } from 'node:events';
import { connect as connectPlain, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { LocateSetting, ResolvedMemorySearch } from '../../config/index.js';
import { messageOf, networkWords, SvcError, systemErrorCode } from '../../errors/index.js';
import { PROVIDERS } from '../../providers/registry.js';
import { anySignal } from '../../support/async.js';
import { formatCountOf } from '../../support/format.js';
import { leadsToLoopback } from '../../support/network.js';
import type { ProviderChoice } from '../choose-provider.js';
import { credentialView, whyChosen } from '../describe-provider.js';
import type { EmbeddingAdapter } from '../embedding-adapter.js';
import { secretReader } from '../open-provider.js';
import type { CheckOutcome } from '../output-schemas.js';
import type { ProviderWorld } from '../provider-world.js';

/** A provider that was chosen, and what opens it. */
export interface DiagnosedProvider {
  readonly choice: ProviderChoice;
  /** @throws SvcError PROVIDER_*, SECRET_UNRESOLVED */
  open(signal: AbortSignal): Promise<EmbeddingAdapter>;
}

/** The provider settings that are diagnosed, with what the checks need to test them. */
export interface DiagnosisSubject {
  readonly settings: ResolvedMemorySearch;
  readonly world: ProviderWorld;
  readonly locate: LocateSetting;
  /** Undefined for keyword search only. */
  readonly primary: DiagnosedProvider | undefined;
  readonly fallback: DiagnosedProvider | undefined;
  /** `named`: one provider, whatever is configured, without a fallback. */
  readonly scope: 'named' | 'path';
}

/** Which provider is selected, and by what. */
export async function checkSelected(subject: DiagnosisSubject): Promise<CheckOutcome> {
  const { primary, settings, world, locate, scope } = subject;
  if (primary === undefined) return nothingSelected(subject);
  const { choice } = primary;
  const text = nameOf(choice);
  if (scope === 'named') return { state: 'ok', text, note: 'as requested' };
  const reason = whyChosen(choice, settings, world);
  if (reason.kind === 'sign') return { state: 'ok', text, note: `auto: ${reason.sign}` };
  const written = await locate(['memorySearch', ...reason.key.split('.')]);
  const note = written?.path ?? `memorySearch.${reason.key}`;
  return { state: 'ok', text, note, location: written?.location };
}

async function nothingSelected({ settings, locate }: DiagnosisSubject): Promise<CheckOutcome> {
  const text = 'none: keyword search only';
  if (settings.provider === 'auto') {
    const hint = 'run "svc provider list" to see what each provider needs';
    return { state: 'off', text, note: 'auto found none', hint };
  }
  const written = await locate(['memorySearch', 'provider']);
  const note = written?.path ?? 'memorySearch.provider';
  return { state: 'off', text, note, location: written?.location };
}

/** `corp (openai)`, or `openai`. */
function nameOf({ provider, adapter }: ProviderChoice): string {
  return provider === adapter ? provider : `${provider} (${adapter})`;
}

/** Where the key is and whether it can be read. Shows its length, never the key. */
export async function checkKey(
  { choice }: DiagnosedProvider,
  { settings, world, locate }: DiagnosisSubject,
  signal: AbortSignal,
): Promise<CheckOutcome> {
  const view = credentialView(choice, settings, world);
  const { credential } = choice;
  if (view.state === 'not_needed') {
    const text = view.source === null ? 'not needed' : 'not sent';
    return { state: 'ok', text, note: view.hint ?? undefined };
  }
  if (view.state === 'missing') {
    // Even if no key is required, the provider may have other credentials that only its code knows.
    const state = credential.state === 'not_needed' ? 'warning' : 'failed';
    const hint = view.hint ?? undefined;
    return { state, text: 'none', code: 'PROVIDER_AUTH', cause: 'no API key found', hint };
  }
  const text = view.source ?? '';
  if (credential.state !== 'found') return { state: 'ok', text };
  const location = (await locate(keyPath(credential.source, choice)))?.location;
  const outcome = await orFailure(text, signal, async (): Promise<CheckOutcome> => {
    const key = await secretReader(world, signal)(credential.input);
    const set = { text, note: `set, ${formatCountOf(key.length, 'character')}` };
    if (!IN_QUOTES.test(key)) return { state: 'ok', ...set };
    return { state: 'warning', ...set, cause: 'its quotes are sent with it', hint: 'remove them' };
  });
  return { ...outcome, location };
}

/** Unlike a shell, Docker takes the quotes in an env file as part of the value. */
const IN_QUOTES = /^(["']).*\1$/u;

function keyPath(source: string, { provider, entry }: ProviderChoice): readonly string[] {
  return source === 'remote.apiKey'
    ? ['memorySearch', 'remote', 'apiKey']
    : ['models', 'providers', entry?.id ?? provider, 'apiKey'];
}

/**
 * Whether the address can be reached and is encrypted. If requests work but a connection fails,
 * there is probably a proxy.
 */
export async function checkEndpoint(
  endpoint: string,
  { hasKey, works }: { readonly hasKey: boolean; readonly works: boolean },
  signal: AbortSignal,
): Promise<CheckOutcome> {
  if (!URL.canParse(endpoint)) return { state: 'ok', text: endpoint, note: 'in this process' };
  const url = new URL(endpoint);
  try {
    const { latencyMs, tls } = await connectTo(url, signal);
    if (tls) return { state: 'ok', text: endpoint, note: 'TLS ok', latencyMs };
    const found = { text: endpoint, note: 'no TLS', latencyMs };
    if (!hasKey || leadsToLoopback(url)) return { state: 'ok', ...found };
    const cause = 'the key and the texts are sent unencrypted';
    return { state: 'warning', ...found, cause, hint: 'use an https URL' };
  } catch (error) {
    signal.throwIfAborted();
    if (!works) return failure(endpoint, error);
    return { state: 'ok', text: endpoint, note: 'requests work, but not a direct connection' };
  }
}

/** @param wanted the configured length of the vectors, which a detected provider's model may not have */
export function checkEmbed(
  adapter: EmbeddingAdapter,
  wanted: number | undefined,
  signal: AbortSignal,
): Promise<CheckOutcome> {
  const text = adapter.model;
  return orFailure(text, signal, async () => {
    const { dimensions, latencyMs } = await adapter.probe({ signal });
    const isOther = wanted !== undefined && wanted !== dimensions;
    const note = isOther ? `outputDimensionality ${wanted} is not supported` : undefined;
    return { state: 'ok', text, note, dimensions, latencyMs };
  });
}

export async function checkBatch(
  { choice }: DiagnosedProvider,
  { settings, locate, scope }: DiagnosisSubject,
): Promise<CheckOutcome> {
  const offered = PROVIDERS[choice.adapter].batch;
  if (scope === 'path' && !choice.isPrimary) {
    return { state: 'off', text: 'off', note: 'not used by a fallback' };
  }
  const enabled = choice.isPrimary && settings.remote.batch.enabled;
  if (!enabled) {
    const note = offered ? 'available: memorySearch.remote.batch.enabled' : 'not available';
    return { state: 'off', text: 'off', note };
  }
  if (offered) return { state: 'ok', text: 'on' };
  return {
    state: 'warning',
    text: 'not available',
    cause: `${choice.adapter} has no batch API; passages are embedded inline`,
    hint: 'set remote.batch.enabled to false',
    location: (await locate(['memorySearch', 'remote', 'batch', 'enabled']))?.location,
  };
}

export async function checkFallback(
  { primary, fallback, settings }: Pick<DiagnosisSubject, 'fallback' | 'primary' | 'settings'>,
  signal: AbortSignal,
): Promise<CheckOutcome> {
  if (fallback === undefined) {
    const { fallback: configured } = settings;
    if (configured === 'none') return { state: 'off', text: 'none' };
    if (primary?.choice.isPrimary === false) {
      return { state: 'off', text: 'none', note: `${configured} is used: auto found no other` };
    }
    const cause = 'the fallback is the provider itself and would fail with it';
    const hint = 'set memorySearch.fallback to another provider';
    return { state: 'warning', text: configured, cause, hint };
  }
  const text = nameOf(fallback.choice);
  return orFailure(text, signal, async () => {
    const adapter = await fallback.open(signal);
    const { dimensions, latencyMs } = await adapter.probe({ signal });
    return { state: 'ok', text, note: adapter.model, dimensions, latencyMs };
  });
}

/** What a step returns, or its failure. @throws the signal's reason */
export async function orFailure<T>(
  text: string,
  signal: AbortSignal,
  step: () => Promise<T>,
): Promise<T | CheckOutcome> {
  try {
    return await step();
  } catch (error) {
    signal.throwIfAborted();
    return failure(text, error);
  }
}

export function failure(text: string, error: unknown): CheckOutcome {
  if (!(error instanceof SvcError)) throw error;
  const { code, hint } = error;
  // The provider is shown next to it.
  const cause = messageOf(error).replace(/^(?:embedding provider|reranker) \S+: /u, '');
  return { state: 'failed', text, code, cause, hint };
}

/** Shorter than for a slow model, for hosts that drop packets. */
const TIMEOUT_MS = 10_000;

/**
 * Connects to a host and hangs up, to distinguish an unreachable address from a failing service.
 *
 * @returns the time, including DNS lookup and TLS handshake
 * @throws SvcError PROVIDER_UNREACHABLE, PROVIDER_TIMEOUT; or the signal's reason
 */
export async function connectTo(url: URL, signal: AbortSignal) {
  signal.throwIfAborted();
  const tls = url.protocol === 'https:';
  // URL keeps the brackets of IPv6 addresses.
  const host = url.hostname.replace(/^\[|\]$/gu, '');
  const port = url.port === '' ? (tls ? 443 : 80) : Number(url.port);
  const started = performance.now();
  const socket = tls
    ? connectTls({ host, port, ...(isIP(host) === 0 ? { servername: host } : {}) })
    : connectPlain({ host, port });
  // Stays attached: an error may follow the one that ends the wait.
  socket.on('error', () => undefined);
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const event = tls ? 'secureConnect' : 'connect';
    await once(socket, event, { signal: anySignal([signal, timeout]) });
    return { latencyMs: Math.round(performance.now() - started), tls };
  } catch (error) {
    signal.throwIfAborted();
    const reachable = `check that ${url.host} is reachable from this machine`;
    if (timeout.aborted) {
      const details = { hint: reachable, cause: error };
      throw new SvcError('PROVIDER_TIMEOUT', 'no answer in time', details);
    }
    const { message, hint = reachable } = networkWords(
      systemErrorCode(error) ?? '',
      messageOf(error),
    );
    throw new SvcError('PROVIDER_UNREACHABLE', message, { hint, cause: error });
  } finally {
    socket.destroy();
  }
}
