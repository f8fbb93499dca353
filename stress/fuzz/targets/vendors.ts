import { rmSync } from 'node:fs';
import fc from 'fast-check';
import * as z from 'zod/mini';
import type { EmbeddingAdapter } from '../../../src/engine/embeddings/embedding-adapter.js';
import { vendorAdapter } from '../../../src/engine/embeddings/vendor-adapter.js';
import { asProviderError } from '../../../src/engine/providers/provider-error.js';
import { PROVIDERS } from '../../../src/engine/providers/registry.js';
import type { Pacing } from '../../../src/engine/providers/requests/pacer.js';
import type {
  EmbeddingVendor,
  VendorBatch,
  VendorCall,
} from '../../../src/engine/providers/vendor.js';
import { testSettings } from '../../../test/engine/providers/conformance.js';
import { AWS_KEYS } from '../../../test/fakes/bedrock.js';
import type { FakeVendor } from '../../../test/fakes/fake-vendor.js';
import { tempFolder } from '../../../test/support/temp-folder.js';
import { cpuMs } from '../cpu-time.js';
import {
  type ManglingProxy,
  manglingSchema,
  manglings,
  startManglingProxy,
} from '../mangling-proxy.js';
import { requirePresentable } from '../presentable.js';
import { type OpenTarget, openTarget } from '../target.js';
import { SUBJECT_NAMES, SUBJECTS, type Subject, type SubjectName } from './vendor-subjects.js';

const CALLS = ['query', 'documents', 'documents', 'probe', 'batch'] as const;
const inputSchema = z.object({
  vendor: z.enum(SUBJECT_NAMES),
  call: z.enum(CALLS),
  mangling: manglingSchema,
});

const inputs = fc.record({
  vendor: fc.constantFrom(...SUBJECT_NAMES),
  call: fc.constantFrom(...CALLS),
  mangling: manglings,
});

const TEXTS = ['the car is red', 'rain falls on the hills', 'bread is baked at night', 'x', 'ü'];
const TIMEOUT_MS = 3000;
/** CPU time for a response of a few pages; more means super-linear growth. */
const LONGEST_MS = 5000;

/**
 * Mangled responses of embedding vendors: an adapter returns valid vectors, or a SvcError without secrets.
 */
export async function openVendorsTarget(): Promise<OpenTarget> {
  const proxies = new Map<SubjectName, ManglingProxy>();
  const fakes: FakeVendor[] = [];
  const state = tempFolder();
  const proxyOf = async (name: SubjectName): Promise<ManglingProxy> => {
    const known = proxies.get(name);
    if (known !== undefined) return known;
    const fake = await SUBJECTS[name].start();
    const proxy = await startManglingProxy(fake.origin);
    fakes.push(fake);
    proxies.set(name, proxy);
    return proxy;
  };
  return openTarget({
    inputs,
    schema: inputSchema,
    check: async ({ vendor: name, call, mangling }) => {
      const proxy = await proxyOf(name);
      rmSync(state.path, { recursive: true, force: true });
      proxy.mangle(mangling);
      const started = cpuMs();
      try {
        await perform(name, call, { origin: proxy.origin, stateDir: state.path });
      } catch (error) {
        requirePresentable(error, proxy.keys);
      }
      const ms = cpuMs() - started;
      if (ms > LONGEST_MS) throw new Error(`it took ${ms} ms`);
    },
    close: async () => {
      for (const proxy of proxies.values()) await proxy.close();
      for (const fake of fakes) await fake.close();
    },
  });
}

async function perform(
  name: SubjectName,
  call: (typeof CALLS)[number],
  { origin, stateDir }: { readonly origin: string; readonly stateDir: string },
): Promise<void> {
  const subject: Subject = SUBJECTS[name];
  const settings = testSettings({
    adapter: subject.adapter,
    baseUrl: `${origin}${subject.path}`,
    ...(subject.adapter === 'bedrock'
      ? {}
      : { credential: { value: subject.secret, source: 'remote.apiKey' } }),
    ...(subject.model === undefined ? {} : { model: subject.model }),
    documentTimeoutMs: TIMEOUT_MS,
    queryTimeoutMs: TIMEOUT_MS,
  });
  const place = {
    provider: subject.adapter,
    model: subject.model,
    endpoint: origin,
    keySource: 'env KEY',
  };
  const signal = AbortSignal.timeout(TIMEOUT_MS * 3);
  try {
    const env = { ...AWS_KEYS, SVC_GITHUB_URL: origin };
    const tools = { stateDir, clock: Date, env };
    const vendor = await PROVIDERS[subject.adapter].open(settings, tools, signal);
    if (call === 'batch') {
      if (vendor.batch !== undefined)
        await runBatch(vendor.batch, { signal, timeoutMs: TIMEOUT_MS, pacing: UNPACED });
      return;
    }
    await runAdapter(vendorAdapter(unpaced(vendor), settings, TOOLS), call);
  } catch (error) {
    throw asProviderError(error, place);
  }
}

const TOOLS = { nowMs: () => performance.now(), random: () => 0 };

/** Sends each request once: retries are tested elsewhere. */
const UNPACED: Pacing = {
  ready: async () => undefined,
  delayAfter: () => undefined,
  succeeded: () => undefined,
};

function unpaced(vendor: EmbeddingVendor): EmbeddingVendor {
  return { ...vendor, embed: (request) => vendor.embed({ ...request, pacing: UNPACED }) };
}

async function runAdapter(
  adapter: EmbeddingAdapter,
  call: 'documents' | 'probe' | 'query',
): Promise<void> {
  try {
    if (call === 'probe') {
      const { dimensions } = await adapter.probe();
      if (!(dimensions >= 1)) throw new Error(`${dimensions} dimensions`);
    } else if (call === 'query') requireUnit([await adapter.embedQuery('which automobile is red')]);
    else {
      const left = new Set(TEXTS);
      const vectors: Float32Array[] = [];
      for await (const part of adapter.embedDocuments(
        TEXTS.map((text) => ({ text, title: 'T' })),
      )) {
        for (const { input } of [...part.embedded, ...part.refused])
          if (!left.delete(input.text)) throw new Error(`"${input.text}" came back twice`);
        vectors.push(...part.embedded.map(({ vector }) => vector));
      }
      if (left.size > 0) throw new Error(`${[...left].join()} never came back`);
      requireUnit(vectors);
    }
  } finally {
    await adapter.close();
  }
}

function requireUnit(vectors: readonly Float32Array[]): void {
  for (const vector of vectors) {
    const length = Math.hypot(...vector);
    if (!(Math.abs(length - 1) < 1e-3)) throw new Error(`a vector of length ${length}`);
    if (vector.length !== vectors[0]?.length) throw new Error('vectors of two sizes');
  }
}

async function runBatch(batch: VendorBatch, call: VendorCall): Promise<void> {
  const entries = TEXTS.map((text, at) => ({ key: `k${at}`, input: { text } }));
  const handle = await batch.submit(entries, 'label-1', call);
  if (Object.values(handle).some((id) => typeof id !== 'string'))
    throw new Error('an empty handle');
  await batch.find('label-1', call);
  const status = await batch.status(handle, call);
  if (!['running', 'ended', 'failed'].includes(status.state))
    throw new Error(`state ${status.state}`);
  if (status.state === 'running') await batch.cancel(handle, call);
  for await (const result of batch.results(handle, call)) {
    if (typeof result.key !== 'string') throw new Error('a result without a key');
    if (
      'vector' in result ? !(result.vector instanceof Float32Array) : typeof result.why !== 'string'
    )
      throw new Error(`an invalid result: ${JSON.stringify(result)}`);
  }
  await batch.discard(handle, call);
}
